/** Limits above which work is too much for the event loop and runs in the worker pool. */

import { newEvaluationBudget, type EvaluationBudget } from '../domain/conditions/types.ts';

/** Longer text is read in the pool. A body of this size takes under 20 ms. */
const LARGE_CHARACTERS = 64 * 1024;

/**
 * Units of evaluation work that take under 20 ms, including compiling. The pool does larger work.
 */
export const LIGHT_WORK = 2_000;

/**
 * Compiling regular expressions of this work takes about 4 ms. It suffices for 1,000 characters of
 * common ones.
 */
const LIGHT_PATTERNS = 2_000;

/** For conditions on the event loop; `share` of the whole. */
export function newLightBudget(share = 1): EvaluationBudget {
  return newEvaluationBudget(share * LIGHT_WORK, share * LIGHT_PATTERNS);
}

/** True for a document that the pool reads: a long one, or one whose regular expressions are compiled. */
export function isHeavyDocument(text: string): boolean {
  // The end of `matches` and `not_matches`.
  return isLarge([text]) || text.includes('matches"');
}

/** Text of so many characters or bytes. */
export function isLargeLength(characters: number): boolean {
  return characters > LARGE_CHARACTERS;
}

export function isLarge(texts: readonly (string | undefined)[]): boolean {
  return isLargeLength(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0));
}
