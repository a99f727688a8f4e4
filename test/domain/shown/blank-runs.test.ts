/** Long runs of blanks, which would push the text behind them out of view. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { blankPieces } from '../../../src/domain/shown/blank-runs.ts';

const shown = (text: string) =>
  blankPieces(text)
    .map(({ text: piece, blanks, breaks }) => {
      if (blanks > 0) return `<${blanks} blanks>`;
      return breaks > 0 ? `<${breaks} breaks>` : piece;
    })
    .join('');

describe('a run of blanks', () => {
  test.each([
    ['spaces', `ls${' '.repeat(300)}; rm`, 'ls<300 blanks>; rm'],
    ['tabs', `ls${'\t'.repeat(21)}rm`, 'ls<21 blanks>rm'],
    ['no-break spaces', `ls${'\u00a0'.repeat(40)}rm`, 'ls<40 blanks>rm'],
    ['different blanks', `ls${' \t\u00a0\u3000\u2003'.repeat(5)}rm`, 'ls<25 blanks>rm'],
    ['spaces at the end', `ls${' '.repeat(21)}\nrm`, 'ls<21 blanks>\nrm'],
    ['spaces at the beginning', `${' '.repeat(41)}rm`, '<41 blanks>rm'],
    ['line breaks', `ls${'\n'.repeat(10)}rm`, 'ls<10 breaks>rm'],
    ['line breaks with blanks', `ls${' \n'.repeat(12)}  rm`, 'ls<12 breaks>  rm'],
    [
      'line breaks before spaces',
      `ls${'\n'.repeat(10)}${' '.repeat(50)}rm`,
      'ls<10 breaks><50 blanks>rm',
    ],
  ])('of %s is folded', (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    ['words', 'one two  three'],
    ['columns', `a${' '.repeat(20)}b`],
    ['code that is deeply indented', `if\n${' '.repeat(40)}x\n${'\t'.repeat(12)}y`],
    ['paragraphs', 'one\n\n\ntwo\n'],
    ['few line breaks', `one${'\n'.repeat(9)}two`],
  ])('stays in %s', (_what, text) => {
    expect(shown(text)).toBe(text);
  });

  test('keeps every character, and leaves no long run', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', ' '.repeat(15), '\t', '\n\n\n', '\u00a0')),
        (parts) => {
          const pieces = blankPieces(parts.join(''));
          expect(pieces.map(({ text }) => text).join('')).toBe(parts.join(''));
          expect(shown(parts.join(''))).not.toMatch(/[\t\p{Zs}]{41}|a[\t\p{Zs}]{21}|\n{10}/u);
        },
      ),
    );
  });

  test('of a megabyte takes no time', () => {
    expect(blankPieces(`a${' '.repeat(1_000_000)}b`)).toHaveLength(3);
    expect(blankPieces(' \n'.repeat(500_000))).toHaveLength(1);
  });
});
