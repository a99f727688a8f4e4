/** What a reader should know about a foreign text before they trust it. */
import { hasEscapes } from '../shown-text.ts';
import { mixedWords, type MixedWord } from './mixed-scripts.ts';
import { withoutCarriageReturns } from './text-pieces.ts';

export type Warning = { readonly kind: 'hidden' } | ({ readonly kind: 'mixed' } & MixedWord);

export function warningsOf(foreign: string): Warning[] {
  const text = withoutCarriageReturns(foreign);
  return [
    ...(hasEscapes(text) ? [{ kind: 'hidden' } as const] : []),
    ...mixedWords(text).map((word) => ({ kind: 'mixed', ...word }) as const),
  ];
}
