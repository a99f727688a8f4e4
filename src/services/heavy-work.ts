/** Limits above which work is too much for the event loop and runs in the worker pool. */

/** Longer text is read in the pool. A body of this size takes under 20 ms. */
const LARGE_CHARACTERS = 64 * 1024;

/**
 * Units of evaluation work that take under 20 ms, including compiling. The pool does larger work.
 */
export const LIGHT_WORK = 2_000;

export function isLarge(texts: readonly (string | undefined)[]): boolean {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) > LARGE_CHARACTERS;
}
