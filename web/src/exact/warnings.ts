/** What a reader should know about a foreign text before they trust it. */
import { hasEscapes } from '../../../src/domain/shown-text.ts';
import { mixedWords, type MixedWord } from './mixed-scripts.ts';

export type Warning = { readonly kind: 'hidden' } | ({ readonly kind: 'mixed' } & MixedWord);

/** Line ends of Windows deceive no reader. */
export const withoutCarriageReturns = (text: string): string => text.replaceAll('\r\n', '\n');

export function warningsOf(foreign: string): Warning[] {
  const text = withoutCarriageReturns(foreign);
  return [
    ...(hasEscapes(text) ? [{ kind: 'hidden' } as const] : []),
    ...mixedWords(text).map((word) => ({ kind: 'mixed', ...word }) as const),
  ];
}
