/**
 * Regular expressions. Compiling costs far more than their length shows, so their text is weighed
 * first. One unit of work is one compiled instruction, about 1 to 2 µs.
 */
import { RE2JS } from 're2js';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import { CONDITION_LIMITS } from './types.ts';

/** An unanchored RE2 expression. Throws for other text. */
export function compilePattern(value: ExactValue): RE2JS {
  if (typeof value !== 'string' || value.length > CONDITION_LIMITS.patternLength)
    throw new TypeError('Not a regular expression.');
  return RE2JS.compile(value);
}

const UNICODE_CLASS = /\\p/gi;
/** Reading a Unicode class, such as `\pL`, costs as much as this many instructions. */
const UNICODE_CLASS_WORK = 25;

const IGNORES_CASE = /\(\?[a-z]*i/i;
/** A range of characters whose last one is not plain ASCII. */
const WIDE_RANGE = /([^\0-\x7f])?-(?:\\x(?:\{([\da-f]+)\}|([\da-f]{2}))|([^\0-\x7f]))/giu;
/** Without regard to case, each character of a range up to this one is looked up. */
const LAST_CASED = 0x1e943;
const CHARACTERS_PER_UNIT = 64;

/** What reading the character classes costs. The program does not show it. */
export function classWork(pattern: string): number {
  const work = [...pattern.matchAll(UNICODE_CLASS)].length * UNICODE_CLASS_WORK;
  if (!IGNORES_CASE.test(pattern)) return work;
  return [...pattern.matchAll(WIDE_RANGE)].reduce((sum, [, from, braced, short, to]) => {
    const last = to?.codePointAt(0) ?? parseInt(braced ?? short ?? '', 16);
    const width = Math.min(last, LAST_CASED) - (from?.codePointAt(0) ?? 0);
    return sum + Math.max(width, 0) / CHARACTERS_PER_UNIT;
  }, work);
}

const COUNTED_REPEAT = /\{(\d+)(?:,(\d*))?\}/g;
/** A repeat may apply to a group. An empty quote hides which. */
const REPEATED_GROUP = /\)\{|\\Q/;
/** RE2 allows no more, nested repeats together. */
const MOST_COPIES = 1_000;

/** Instructions of the empty pattern. */
const FRAME_WORK = 3;

/** At least the work of compiling a pattern, by its text alone. */
export function compileWork(pattern: string): number {
  const counts = [...pattern.matchAll(COUNTED_REPEAT)].map(([, least = '', most = '']) =>
    Math.max(Number(least), Number(most), 1),
  );
  const copies = REPEATED_GROUP.test(pattern)
    ? Math.min(
        counts.reduce((product, count) => product * count, 1),
        MOST_COPIES,
      )
    : 1;
  const length = counts.reduce((sum, count) => sum + count, pattern.length);
  return FRAME_WORK + 2 * length * copies + classWork(pattern);
}
