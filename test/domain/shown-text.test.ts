import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  hasEscapes,
  shownInstant,
  shownLine,
  shownPieces,
  shownText,
} from '../../src/domain/shown-text.ts';

/** Characters that are invisible or change the reading order. */
const DECEPTIVE = [
  '\u0000',
  '\u0007',
  '\u001b',
  '\u007f',
  '\u009b',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u180e',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202e',
  '\u2060',
  '\u2066',
  '\u2069',
  '\u2800',
  '\u3164',
  '\ufe0f',
  '\ufeff',
  '\ufffb',
  '\u{e0041}',
  '\u{1d173}',
  '\ud83d',
  '\udc00',
];

const codeOf = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

describe('text for display', () => {
  test.each(DECEPTIVE.map((character) => [codeOf(character), character]))(
    'shows %s as an escape',
    (code, character) => {
      expect(shownText(`a${character}b`, 100)).toEqual({ text: `a${code}b`, isCut: false });
      expect(shownLine(`a${character}b`)).toBe(`a${code}b`);
    },
  );

  test.each([
    ['a Persian name', 'علی\u200cرضا'],
    ['a Hindi word', 'क्\u200dष'],
    ['a family', '👩\u200d👩\u200d👧'],
    ['a heart', '❤\ufe0f'],
    ['a heart on fire', '❤\ufe0f\u200d🔥'],
    ['a hand', '👍🏽'],
    ['a key', '1\ufe0f\u20e3'],
    ['ordinary text', 'Zoë Müller, 渡辺, Ωmega — "quoted" & <tagged>'],
  ])('leaves %s unchanged', (_what, text) => {
    expect(shownText(text, 100)).toEqual({ text, isCut: false });
    expect(shownLine(text)).toBe(text);
  });

  test('escapes joiners that join nothing', () => {
    expect(shownLine('\u200dعلی')).toBe('\\u200dعلی');
    expect(shownLine('علی\u200c')).toBe('علی\\u200c');
    expect(shownLine('علی\u200c\u200cرضا')).toBe('علی\\u200c\\u200cرضا');
  });

  test('keeps line ends and tabs, and shows every line end alike', () => {
    expect(shownText('{\r\n\t"a": 1\r}', 100).text).toBe('{\n\t"a": 1\n}');
  });

  test('is never longer than its limit, and is a beginning of the whole in complete characters and escapes', () => {
    const pieces = fc.constantFrom(
      ...DECEPTIVE,
      'a',
      '&',
      ' ',
      '\n',
      '\r',
      '😀',
      'é',
      '❤\ufe0f\u200d🔥',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        (parts, most) => {
          const whole = shownText(parts.join(''), 10_000);
          const { text, isCut } = shownText(parts.join(''), most);
          expect(whole.isCut).toBe(false);
          expect(text.length).toBeLessThanOrEqual(most);
          expect(whole.text.startsWith(text)).toBe(true);
          expect(isCut).toBe(text !== whole.text);
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(/\\u[0-9a-f]{0,3}$/);
          // The next piece is at most an escaped pair.
          if (isCut) expect(text.length).toBeGreaterThan(most - 12);
          expect(shownLine(parts.join(''), most).length).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('fits the limit for any way of counting its length', () => {
    const { text, isCut } = shownText('&'.repeat(100), 50, (piece) =>
      piece === '&' ? 5 : piece.length,
    );
    expect({ text, isCut }).toEqual({ text: '&'.repeat(10), isCut: true });
  });
});

describe('the pieces of a text', () => {
  test('mark our escapes, and not text that looks like one', () => {
    expect(shownPieces('a\u202eb \\u202e')).toEqual([
      { text: 'a', isEscape: false },
      { text: '\\u202e', isEscape: true },
      { text: 'b \\u202e', isEscape: false },
    ]);
    expect([hasEscapes('a\u202eb'), hasEscapes('a\\u202eb')]).toEqual([true, false]);
  });

  test('are together the text as messages show it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...DECEPTIVE, 'a', '\n', 'ж', '👩')), (characters) => {
        const text = characters.join('');
        const pieces = shownPieces(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(shownText(text, 10_000).text);
        expect(pieces.some(({ isEscape }) => isEscape)).toBe(hasEscapes(text));
      }),
    );
  });
});

describe('a line', () => {
  test('has no line ends, no repeated blanks and no blanks at its ends', () => {
    expect(shownLine(' refund\r\nBcc:\t\u2028\u00a0 thief\u3000')).toBe('refund Bcc: thief');
  });

  test('that is too long ends with an ellipsis within the limit', () => {
    expect(shownLine('abcdef', 6)).toBe('abcdef');
    expect(shownLine('abcdefg', 6)).toBe('abcde…');
    expect(shownLine('abc\u200bdefg', 8)).toBe('abc…');
    expect(shownLine('x'.repeat(500))).toHaveLength(120);
  });
});

test('an instant is shown to the minute, in UTC', () => {
  expect(shownInstant(new Date('2026-03-02T09:05:59.999Z'))).toBe('2026-03-02 09:05 UTC');
});
