/** Long texts are cut without reading their middle, and as if it had been read. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutPieces, cutText, textPieces } from '../../../src/domain/shown/text-pieces.ts';

const LIMITS = { characters: 2_000, lines: 24 };

/** Whatever folds, hides, joins or ends a line, in long runs and in short ones. */
const part = fc.tuple(
  fc.constantFrom(
    'a',
    'word ',
    '\u200b',
    'a\u200bb',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '😀',
    'e\u0301',
    'ن',
  ),
  fc.constantFrom(1, 3, 30, 400, 9_000, 30_000),
);

test('a text of any length is cut as its pieces are', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      const text = parts.map(([piece, times]) => piece.repeat(times)).join('');
      expect(cutText(text, LIMITS)).toEqual(cutPieces(textPieces(text), LIMITS));
    }),
    { numRuns: 60 },
  );
});

test.each(['word ', 'a\u200bb ', 'a line\n', '😀', `a${' '.repeat(50)}`])(
  'a long text of %j is read at its ends alone',
  (piece) => {
    const text = piece.repeat(200_000);
    const { head, tail } = cutText(text, LIMITS);
    const ends = cutText(`${piece.repeat(20_000)}${piece.repeat(20_000)}`, LIMITS);
    expect({ head, tail }).toEqual(ends);
  },
);
