/** What a reader should know about a foreign text before they trust it. */
import { hasEscapes } from '../shown-text.ts';
import { foreignNumbers } from './digits.ts';
import { encodedNames, lookalikeWords, wordsWithSigns } from './lookalikes.ts';
import { mixedWords, type MixedWord } from './mixed-scripts.ts';
import { withoutCarriageReturns } from './text-pieces.ts';

export type Warning =
  | { readonly kind: 'hidden' }
  | ({ readonly kind: 'mixed' | 'lookalike' | 'digits' } & MixedWord)
  | { readonly kind: 'encoded'; readonly word: string }
  | { readonly kind: 'signs'; readonly word: string };

export function warningsOf(foreign: string): Warning[] {
  const text = withoutCarriageReturns(foreign);
  return [
    ...(hasEscapes(text) ? [{ kind: 'hidden' } as const] : []),
    ...mixedWords(text).map((word) => ({ kind: 'mixed', ...word }) as const),
    ...lookalikeWords(text).map((word) => ({ kind: 'lookalike', ...word }) as const),
    ...foreignNumbers(text).map((word) => ({ kind: 'digits', ...word }) as const),
    ...wordsWithSigns(text).map((word) => ({ kind: 'signs', word }) as const),
    ...encodedNames(text).map((word) => ({ kind: 'encoded', word }) as const),
  ];
}
