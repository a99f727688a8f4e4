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

  test.each([
    ['the place of an object, which has no width', '1\ufffc0', '1\\ufffc0'],
    ['a ZWNJ between pictures', '👩\u200c👩', '👩\\u200c👩'],
    ['a ZWNJ after a picture in two parts', '❤\ufe0f\u200c🔥', '❤\ufe0f\\u200c🔥'],
    ['a ZWNJ between Latin letters', 'pay\u200cpal', 'pay\\u200cpal'],
    ['a ZWNJ between digits', '۱\u200c۲', '۱\\u200c۲'],
    ['a ZWJ between a letter and a picture', 'ع\u200d👩', 'ع\\u200d👩'],
    ['a ZWJ between signs that are no picture', '©\u200d®', '©\\u200d®'],
    ['a ZWJ after a sign in two parts', '©\ufe0f\u200d👩', '©\ufe0f\\u200d👩'],
    ['a ZWJ after a color of skin alone', 'a🏽\u200d👩', 'a🏽\\u200d👩'],
  ])('escapes %s', (_what, text, shown) => {
    expect(shownText(text, 100).text).toBe(shown);
    expect(hasEscapes(text)).toBe(true);
  });

  test.each([
    ['a flag', '🏳\ufe0f\u200d🌈'],
    ['a pirate flag', '🏴\u200d☠\ufe0f'],
    ['red hair', '👩🏽\u200d🦰'],
    ['a Persian plural', 'کتاب\u200cها'],
    ['a Persian number', '۲۰\u200cساله'],
    ['a Bengali conjunct', 'র\u200d্য'],
    ['a Sinhala conjunct', 'ක්\u200dෂ'],
    ['an open Devanagari virama', 'क्\u200cष'],
  ])('leaves the joiner in %s', (_what, text) => {
    expect(shownPieces(text)).toEqual([{ text, isEscape: false }]);
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

  test('that is plain is shown and cut like any other', () => {
    const units = ['\t', '\n', ' ', '!', 'a', '\\', '~', 'é', 'ł', '\u00a0', '·', '–', '…', '€'];
    const plain = fc.string({ unit: fc.constantFrom(...units) });
    fc.assert(
      fc.property(plain, fc.integer({ min: 1, max: 20 }), (text, most) => {
        // With a count of its own, `shownText` does not take its short way.
        expect(shownText(text, most)).toEqual(shownText(text, most, (piece) => piece.length));
        expect(shownPieces(text)).toEqual(text === '' ? [] : [{ text, isEscape: false }]);
        expect(hasEscapes(text)).toBe(false);
      }),
    );
  });

  test('is looked at in the short way only where that changes nothing', () => {
    for (let code = 0; code < 0x3000; code += 1) {
      const character = String.fromCharCode(code);
      // The letter behind it needs the long way.
      const [first] = shownPieces(`${character}ж`);
      expect([code, hasEscapes(character)]).toEqual([code, first?.isEscape]);
      expect([code, shownText(character, 9)]).toEqual([
        code,
        shownText(character, 9, (text) => text.length),
      ]);
    }
  });

  test('escapes controls and the soft hyphen, of the first 256 characters', () => {
    for (let code = 0; code < 0x100; code += 1) {
      const character = String.fromCharCode(code);
      const isControl =
        (code < 0x20 && !'\t\n'.includes(character)) || (code > 0x7e && code < 0xa0);
      const isEscaped = isControl || character === '\u00ad';
      expect([code, hasEscapes(character)]).toEqual([code, isEscaped]);
      expect([code, hasEscapes(`é${character}`)]).toEqual([code, isEscaped]);
    }
  });

  test('fits the limit for any way of counting its length', () => {
    const { text, isCut } = shownText('&'.repeat(100), 50, (piece) =>
      piece === '&' ? 5 : piece.length,
    );
    expect({ text, isCut }).toEqual({ text: '&'.repeat(10), isCut: true });
  });
});

describe('marks on one letter', () => {
  const ABOVE = '\u0301';

  test('are escaped past the third', () => {
    expect(shownText(`a${ABOVE.repeat(5)}b`, 100).text).toBe(`a${ABOVE.repeat(3)}\\u0301\\u0301b`);
    expect(hasEscapes(`Z${'\u0334\u0321\u0353\u0489'}algo`)).toBe(true);
    expect(hasEscapes(`Z${'\u0334\u0321\u0353'}a${'\u0337\u0300\u0301'}`)).toBe(false);
  });

  test.each([
    ['Thai', 'ก' + '\u0e47'.repeat(4)],
    ['Hebrew', 'ש' + '\u05b8'.repeat(6)],
    ['Arabic', 'ب' + '\u064e'.repeat(6)],
    ['Arabic, between joiners', 'ب' + '\u0610\u200d'.repeat(6) + 'ب'],
    ['emoji', '👩' + '\u20dd'.repeat(4)],
  ])('are escaped in heaps of %s marks', (_script, text) => {
    expect(hasEscapes(text)).toBe(true);
  });

  test.each([
    ['Thai', 'ที่นี่ น้ำ กำลัง ปู่ก็รู้'],
    ['Lao', 'ທີ່ນີ້ ເຈົ້າ'],
    ['Vietnamese in parts', 'Việt thưởng'.normalize('NFD')],
    ['Greek in parts', 'ᾧ ᾅ ΐ'.normalize('NFD')],
    ['Arabic with vowels', 'مُحَمَّدٌ رَّسُولُ ٱللَّهِ'],
    ['Arabic of the Quran', 'ٱلضَّآلِّينَ هَـٰٓؤُلَآءِ ٱللَّٰهُ'],
    ['Hebrew with points', 'בְּרֵאשִׁ֖ית בָּרָ֣א שָּׁ֖ב'],
    ['Hindi', 'ज़िंदगी में क्षत्रिय हूँ'],
    ['Tamil', 'ஸ்ரீ தமிழ்'],
    ['Burmese', 'မြို့ ကျွန်ုပ် ညွှန့်'],
    ['Khmer', 'ខ្ញុំ ស្ត្រី ប៉ុន្តែ'],
    ['Tibetan', 'བསྒྲུབས་ ཧཱུྃ ཨོཾ'],
    ['Lithuanian in parts', 'i\u0307\u0301 u\u0304\u0303'],
    ['Yoruba in parts', 'e\u0323\u0300 o\u0323\u0301'],
  ])('stay in %s', (_language, text) => {
    expect(shownPieces(text)).toEqual([{ text, isEscape: false }]);
  });

  test('are told apart in a megabyte of them without delay', () => {
    const heap = `a${ABOVE.repeat(200_000)}`;
    expect(hasEscapes(heap)).toBe(true);
    expect(shownPieces(heap)).toHaveLength(199_998);
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
