import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonSourceError, normalDecimal, readJson, sameJson } from './json-source.ts';

const accepts = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

describe('the second JSON reader', () => {
  test('keeps the spelling of every token and drops the white space between tokens', () => {
    const { source } = readJson(String.raw` { "a" : [ 1.0 , 1e400,-0 ] , "\u0000" : "\u0041 b" } `);
    expect(source).toBe(String.raw`{"a":[1.0,1e400,-0],"\u0000":"\u0041 b"}`);
  });

  test('accepts exactly the documents that JSON.parse accepts, except duplicate keys', () => {
    const edited = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '0', '"', ',', '}', ']', '\\', 'e', '-', '.', '\u0001', ' '),
      )
      .map(
        ([text, at, piece]) =>
          text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + 1),
      );
    fc.assert(
      fc.property(fc.oneof(fc.json(), edited, fc.string()), (text) => {
        try {
          readJson(text, Infinity);
          expect(accepts(() => JSON.parse(text))).toBe(true);
        } catch (error) {
          if (!(error instanceof JsonSourceError)) throw error;
          expect(error.fault === 'duplicate-key' || !accepts(() => JSON.parse(text))).toBe(true);
        }
      }),
      { numRuns: 800 },
    );
  });

  test('finds two values equal exactly when they print the same', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
        expect(sameJson(readJson(left), readJson(JSON.stringify(JSON.parse(left), null, 2)))).toBe(
          true,
        );
        if (typeof a !== 'object' || typeof b !== 'object')
          expect(sameJson(readJson(left), readJson(right))).toBe(left === right);
      }),
    );
  });

  test.each([
    ['1', '1.0', true],
    ['1', '10e-1', true],
    ['-0', '0.000e7', true],
    ['1e400', '10e399', true],
    ['1e999999999999', '1e1000000000000', false],
    ['9007199254740993', '9007199254740992', false],
    ['0.1', '0.10000000000000000001', false],
    ['-1', '1', false],
  ])('compares %s with %s as exact decimals', (a, b, equal) => {
    expect(normalDecimal(a) === normalDecimal(b)).toBe(equal);
  });

  test('ignores the order of keys but not the order of items', () => {
    expect(sameJson(readJson('{"a":1,"b":[2]}'), readJson('{"b":[2.0],"a":1e0}'))).toBe(true);
    expect(sameJson(readJson('[1,2]'), readJson('[2,1]'))).toBe(false);
    expect(sameJson(readJson('{"a":1}'), readJson('{"a":1,"__proto__":1}'))).toBe(false);
  });

  test.each([
    ['duplicate-key', String.raw`{"a":1,"\u0061":2}`],
    ['duplicate-key', '{"x":[{"__proto__":1,"__proto__":2}]}'],
    ['nesting', '['.repeat(102) + ']'.repeat(102)],
    ['syntax', '{} {}'],
    ['syntax', '\ufeff{}'],
  ])('names the fault %s', (fault, text) => {
    expect(() => readJson(text)).toThrow(expect.objectContaining({ fault }));
  });

  test('accepts level 100', () => {
    expect(readJson('['.repeat(101) + ']'.repeat(101)).kind).toBe('array');
  });
});
