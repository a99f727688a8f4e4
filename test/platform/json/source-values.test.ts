import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutKey } from '../../../web/src/shared/exact/cut-key.ts';
import { digestOf } from '../../../web/src/shared/exact/arguments-digest.ts';
import { indentOf, outlineOf, rowAt } from '../../../web/src/shared/exact/json/json-outline.ts';
import { letterPieces, mixedWords } from '../../../src/domain/shown/mixed-scripts.ts';
import { readSource, type SourceValue } from '../../../src/platform/json/source-values.ts';

const read = (text: string): SourceValue => {
  const value = readSource(text);
  if (!value) throw new Error('no JSON');
  return value;
};

const rowsOf = (value: SourceValue, options: Parameters<typeof outlineOf>[1] = {}) => {
  const outline = outlineOf(value, options);
  return outline.values.map((_value, index) => rowAt(outline, index));
};

describe('a value as it was sent', () => {
  test('keeps digits, escapes, the order of members and duplicates', () => {
    const text = '{"b":9007199254740993.10,"a":1e400,"b":"\\u0041\\n","2":[],"1":-0}';
    const { members } = read(text);
    expect(members.map(({ keySource, value }) => [keySource, value.source])).toEqual([
      ['"b"', '9007199254740993.10'],
      ['"a"', '1e400'],
      ['"b"', '"\\u0041\\n"'],
      ['"2"', '[]'],
      ['"1"', '-0'],
    ]);
    expect(read(text).at('/b')?.characters).toBe('A\n');
  });

  test('is found by JSON pointers', () => {
    const value = read('{"a/b":{"~":[10,20]},"":1,"__proto__":{"x":2}}');
    const sourceAt = (pointer: string) => value.at(pointer)?.source;
    expect(sourceAt('/a~1b/~0/1')).toBe('20');
    expect(sourceAt('/')).toBe('1');
    expect(sourceAt('/__proto__/x')).toBe('2');
    for (const missing of ['/a~1b/~0/2', '/a~1b/~0/01', '/a~1b/~0/-', '/toString', '/a~1b/x/y'])
      expect([missing, sourceAt(missing)]).toEqual([missing, undefined]);
  });

  test('has its text again in the parts of its lines, whatever it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const value = read(text);
        const inner = rowsOf(value)
          .map(({ keySource, part, items, value: { source, kind } }) => {
            if (part === 'value') return `${keySource ?? ''}${source}`;
            if (part === 'numbers' || part === 'records')
              return items.map((item) => item.source).join('');
            const [open, close] = kind === 'array' ? '[]' : '{}';
            return `${keySource ?? ''}${part === 'open' ? open : close}`;
          })
          .join('');
        expect(withoutPunctuation(inner).replaceAll(/\s/g, '')).toBe(
          withoutPunctuation(text).replaceAll(/\s/g, ''),
        );
      }),
    );
  });

  test('is indented by its depth, and says its depth where the indentation ends', () => {
    const rows = rowsOf(read(`${'['.repeat(24)}1${']'.repeat(24)}`));
    const places = rows.map(({ depth }) => indentOf(depth));
    expect(places[20]).toEqual({ steps: 20 });
    expect(places[21]).toEqual({ steps: 20, level: 21 });
    const texts = places.map(({ steps, level }) => `${steps} ${level ?? ''}`);
    expect(new Set(texts.slice(0, 25)).size).toBe(25);
  });

  test('counts the values that are no containers, and empty containers', () => {
    expect(read('{"a":[1,2,{"b":null}],"c":{},"d":[]}').leaves).toHaveLength(5);
  });

  test('of a hundred thousand members is read in one pass', () => {
    const text = `{${Array.from({ length: 100_000 }, (_none, index) => `"k${index}":${index}`).join(',')}}`;
    expect(rowsOf(read(text))).toHaveLength(100_002);
  });
});

/** Commas and colons outside of strings. */
const withoutPunctuation = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part.startsWith('"') ? part : ''));

test('the digest is SHA-256 of the text in UTF-8', () => {
  for (const text of ['{}', '{"a":"Zoë 👩"}', 'x'.repeat(100_000)])
    expect(digestOf(text)).toBe(createHash('sha256').update(text).digest('hex'));
});

describe('a key in the words of an agent', () => {
  test.each([
    ['"id"', '"id"', 0],
    [`"${'x'.repeat(60)}"`, `"${'x'.repeat(60)}"`, 0],
    [`"${'x'.repeat(61)}"`, `"${'x'.repeat(45)}…${'x'.repeat(15)}"`, 1],
    [`"${'x'.repeat(99)}; rm -rf /"`, `"${'x'.repeat(45)}…xxxxx; rm -rf /"`, 49],
    [String.raw`"say \"yes\""`, String.raw`"say \"yes\""`, 0],
    [
      `"${'x'.repeat(59)}${String.raw`\u0041\n`}y"`,
      `"${'x'.repeat(45)}…${'x'.repeat(11)}A${String.raw`\n`}y"`,
      3,
    ],
    [`"${'x'.repeat(44)}😀${'y'.repeat(30)}"`, `"${'x'.repeat(44)}…${'y'.repeat(15)}"`, 16],
  ])('stays between its quotes: %s', (keySource, shown, left) => {
    expect(cutKey(keySource)).toEqual({ shown, left });
  });
});

describe('words that mix scripts', () => {
  test.each([
    ['pаypal.com', ['pаypal']],
    ['Ηello world', ['Ηello']],
    ['paypal', []],
    ['Привет мир', []],
    ['東京タワー と ABC', []],
    ['α-test β', []],
    ['café 12', []],
  ])('%s', (text, words) => {
    expect(mixedWords(text).map(({ word }) => word)).toEqual(words);
  });

  test('are found for each letter of another script, and for no other character', () => {
    const OTHERS =
      /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}]/u;
    const wrong = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter(
      (letter) => {
        const isOther = OTHERS.test(letter) && /[\p{L}\p{M}\p{N}]/u.test(letter);
        return mixedWords(`pay${letter}`).length !== (isOther ? 1 : 0);
      },
    );
    expect(wrong).toEqual([]);
  });

  test.each([
    ['pаypal.com', false, ['Cyrillic а']],
    ['кoт', false, ['Latin o']],
    ['paypal Привет', false, []],
    [String.raw`"\tПривет \u0041лло"`, true, []],
    [String.raw`"C:\\pаypal"`, true, ['Cyrillic а']],
  ])('have their foreign letters apart: %s', (text, isSource, letters) => {
    const pieces = letterPieces(text, { isSource });
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(
      pieces.flatMap((piece) => (piece.script ? [`${piece.script} ${piece.text}`] : [])),
    ).toEqual(letters);
  });
});
