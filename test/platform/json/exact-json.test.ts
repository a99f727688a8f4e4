import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ExactJsonError,
  JsonText,
  parseExact,
  stringifyExact,
} from '../../../src/platform/json/exact-json.ts';
import {
  canonicalJson,
  compareDecimals,
  exactEquals,
  ExactNumber,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';
import { anyCharacter } from '../../support/characters.ts';

function failure(text: string, maxDepth?: number): { code: string; pointer: string } {
  try {
    parseExact(text, maxDepth === undefined ? {} : { maxDepth });
  } catch (error) {
    if (error instanceof ExactJsonError) return { code: error.code, pointer: error.pointer };
    throw error;
  }
  throw new Error('the text was accepted');
}

const decimal = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.stringMatching(/^[0-9]{1,25}$/), { nil: undefined }),
    fc.option(fc.integer({ min: -420, max: 420 }), { nil: undefined }),
    fc.constantFrom('e', 'E', 'e+', 'e0'),
  )
  .map(([negative, whole, fraction, exponent, mark]) => {
    const signed =
      exponent === undefined ? '' : exponent < 0 ? `e${exponent}` : `${mark}${exponent}`;
    return `${negative ? '-' : ''}${whole}${fraction === undefined ? '' : `.${fraction}`}${signed}`;
  });

/** The number of a source as a rational, by a second method. */
function rational(source: string): { top: bigint; bottom: bigint } {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = BigInt(exponent.replace('+', '')) - BigInt(fraction.length);
  const negative = whole.startsWith('-');
  const digits = BigInt(whole.replace('-', '') + fraction) * (negative ? -1n : 1n);
  return scale < 0n
    ? { top: digits, bottom: 10n ** -scale }
    : { top: digits * 10n ** scale, bottom: 1n };
}

const numberOf = (source: string): number | ExactNumber =>
  parseExact(source) as number | ExactNumber;

/**
 * JSON text with odd white space, escapes and numbers. Keys are unique and never look like array
 * indexes.
 */
const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'null',
      'true',
      'false',
      '-0',
      '1e400',
      '9007199254740993',
      '"\\u0000"',
      '"\\ud800"',
      '""',
    ),
    decimal,
    fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
    fc.array(tie('value')).map((items) => `[${items.join(' ,\n')}]`),
    fc
      .uniqueArray(
        fc.tuple(
          fc.oneof(
            fc.constant('__proto__'),
            fc.string({ unit: anyCharacter }).map((key) => `k${key}`),
          ),
          tie('value'),
        ),
        {
          selector: ([key]) => key,
        },
      )
      .map(
        (members) =>
          `{${members.map(([key, value]) => `\t${JSON.stringify(key)} : ${value}`).join(',\r')}}`,
      ),
  ),
})).value;

describe('parseExact', () => {
  test('accepts exactly what JSON.parse accepts, except duplicate keys and depth', () => {
    const fragments = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"a"',
        '"b"',
        ':',
        ',',
        '1',
        '01',
        '-',
        '.5',
        '1.',
        '1e',
        'tru',
        'true',
        'null',
        ' ',
        '//',
        '/**/',
        '\u00a0',
        '\ufeff',
        "'",
        '"\n"',
        'NaN',
      ),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(fragments, (parts) => {
        const text = parts.join('');
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        let code = 'accepted';
        try {
          parseExact(text);
        } catch (error) {
          code = error instanceof ExactJsonError ? error.code : 'crash';
        }
        expect(accepted ? ['accepted', 'duplicate_key'] : ['malformed_json']).toContain(code);
      }),
      { numRuns: 800 },
    );
  });

  test('keeps every value of random JSON text: reading and printing changes only white space and notation', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const value = parseExact(text);
        const again = parseExact(stringifyExact(value));
        expect(canonicalJson(again)).toBe(canonicalJson(value));
        expect(exactEquals(again, value)).toBe(true);
        expect(JSON.stringify(JSON.parse(stringifyExact(value)))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    '9007199254740993',
    '1e400',
    '1e-400',
    '0.1000000000000000055511151231257827',
    '-123456789012345678901',
    '5e-324000',
  ])('keeps the digits of %s', (source) => {
    const value = parseExact(`{"n":[${source}]}`) as { n: ExactValue[] };
    expect(value.n[0]).toEqual(new ExactNumber(source));
    expect(stringifyExact(value)).toBe(`{"n":[${source}]}`);
  });

  test.each([
    ['1.0', 1],
    ['1e0', 1],
    ['100e-2', 1],
    ['1E+21', 1e21],
    ['0.1', 0.1],
    ['9007199254740992', 9007199254740992],
    ['0e99999999999999999999', 0],
  ])('%s is a plain number, because a double is the same decimal', (source, number) => {
    expect(parseExact(source)).toBe(number);
  });

  test('an object has no prototype, so __proto__ and constructor are ordinary keys', () => {
    const value = parseExact('{"__proto__":{"polluted":true},"constructor":1}') as ExactObject;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(stringifyExact(value)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  });

  test('a duplicate key is refused at any depth, compared after unescaping, with a pointer to it', () => {
    expect(failure('{"a":1,"a":2}')).toEqual({ code: 'duplicate_key', pointer: '/a' });
    expect(failure('{"x":[0,{"a/b~":1,"\\u0061/b~":2}]}')).toEqual({
      code: 'duplicate_key',
      pointer: '/x/1/a~1b~0',
    });
    expect(failure('{"__proto__":1,"__proto__":2}')).toEqual({
      code: 'duplicate_key',
      pointer: '/__proto__',
    });
    expect(failure('{"":1,"":2}')).toEqual({ code: 'duplicate_key', pointer: '/' });
    expect(parseExact('{"a":{"a":{"a":1}},"b":"a"}')).toBeTruthy();
  });

  test('nesting is allowed to level 200 and refused at level 201, with a pointer to that container', () => {
    const nested = (levels: number): string => '['.repeat(levels + 1) + ']'.repeat(levels + 1);
    expect(Array.isArray(parseExact(nested(200)))).toBe(true);
    expect(failure(nested(201))).toEqual({ code: 'too_deep', pointer: '/0'.repeat(201) });
    expect(failure(nested(101), 100)).toEqual({ code: 'too_deep', pointer: '/0'.repeat(101) });
    expect(failure('{"a":{"b":[[]]}}', 2)).toEqual({ code: 'too_deep', pointer: '/a/b/0' });
    expect(failure('{"a":[1,2,{}]}', 1)).toEqual({ code: 'too_deep', pointer: '/a/2' });
  });

  test('a million opening brackets, closed or not, are too deep and overflow nothing', () => {
    expect(failure('['.repeat(1_000_000)).code).toBe('too_deep');
    expect(failure('['.repeat(500_000) + ']'.repeat(500_000)).code).toBe('too_deep');
    expect(failure('{"a":'.repeat(200_000)).code).toBe('too_deep');
  });

  test('a kept member is returned as its source text and as its value', () => {
    const text =
      '{ "tool":"pay", "arguments" : {"amount": 1.0, "big":9007199254740993 ,"arguments":1} , "n": [ 1.50 ]}';
    const value = parseExact(text, { keep: ['arguments', 'n', 'absent'] }) as Record<
      string,
      unknown
    >;
    const kept = value['arguments'] as JsonText;
    expect(kept).toBeInstanceOf(JsonText);
    expect(kept.text).toBe('{"amount": 1.0, "big":9007199254740993 ,"arguments":1}');
    expect(kept.value).toEqual(new JsonText(kept.text).value);
    expect((kept.value as ExactObject)['big']).toEqual(new ExactNumber('9007199254740993'));
    expect((value['n'] as JsonText).text).toBe('[ 1.50 ]');
    expect(value['tool']).toBe('pay');
    expect(stringifyExact(value)).toBe(`{"tool":"pay","arguments":${kept.text},"n":[ 1.50 ]}`);
  });

  test('only members of the outermost object are kept, and a top-level array keeps nothing', () => {
    expect(stringifyExact(parseExact('{"a":{"b": 1.0}}', { keep: ['b'] }))).toBe('{"a":{"b":1}}');
    expect(stringifyExact(parseExact('[{"b": 1.0}]', { keep: ['b'] }))).toBe('[{"b":1}]');
  });

  test('a JsonText of null parses to null', () => {
    expect(new JsonText('null').value).toBeNull();
  });
});

describe('compareDecimals', () => {
  test('agrees with exact rationals', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [left, right] = [rational(a), rational(b)];
        const difference = left.top * right.bottom - right.top * left.bottom;
        const expected = difference === 0n ? 0 : difference < 0n ? -1 : 1;
        expect(compareDecimals(new ExactNumber(a), new ExactNumber(b))).toBe(expected);
        expect(compareDecimals(numberOf(a), numberOf(b))).toBe(expected);
        expect(exactEquals(numberOf(a), numberOf(b))).toBe(expected === 0);
        expect(canonicalJson(numberOf(a)) === canonicalJson(numberOf(b))).toBe(expected === 0);
      }),
      { numRuns: 800 },
    );
  });

  test('never expands an exponent of any size', () => {
    const huge = numberOf('1e99999999999999999999');
    expect(compareDecimals(huge, numberOf('9e99999999999999999998'))).toBe(1);
    expect(compareDecimals(huge, numberOf('10e99999999999999999998'))).toBe(0);
    expect(compareDecimals(numberOf('1e-99999999999999999999'), 0)).toBe(1);
    expect(compareDecimals(numberOf('-1e99999999999999999999'), -1)).toBe(-1);
    expect(canonicalJson(numberOf(`1e${'9'.repeat(100_000)}`))).toHaveLength(100_002);
  });

  test('orders plain numbers of every size and refuses what JSON cannot write', () => {
    expect(compareDecimals(Number.MAX_VALUE, -Number.MAX_VALUE)).toBe(1);
    expect(compareDecimals(0, Number.MIN_VALUE)).toBe(-1);
    expect(() => compareDecimals(1, Infinity)).toThrow(TypeError);
    expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
  });

  test('minus zero is zero', () => {
    expect(compareDecimals(-0, 0)).toBe(0);
    expect(compareDecimals(numberOf('-0'), 0)).toBe(0);
    expect(compareDecimals(numberOf('-0.000e7'), numberOf('0'))).toBe(0);
    expect(canonicalJson(parseExact('[-0,-0.0,0e5]'))).toBe('[0,0,0]');
  });
});

describe('canonicalJson', () => {
  test('equal texts mean equal values and vice versa', () => {
    fc.assert(
      fc.property(jsonText, jsonText, (a, b) => {
        const [left, right] = [parseExact(a), parseExact(b)];
        expect(exactEquals(left, right)).toBe(canonicalJson(left) === canonicalJson(right));
        expect(exactEquals(left, left)).toBe(true);
        expect(canonicalJson(parseExact(canonicalJson(left)))).toBe(canonicalJson(left));
      }),
      { numRuns: 200 },
    );
  });

  test('key order, white space and notation do not matter; type and content do', () => {
    expect(canonicalJson(parseExact('{"b":[1.0, 100],"a":{"y":1,"x":"\\u0041"}}'))).toBe(
      '{"a":{"x":"A","y":1},"b":[1,1e2]}',
    );
    expect(exactEquals(parseExact('{"a":1,"b":2}'), parseExact('{"b":2e0,"a":10e-1}'))).toBe(true);
    expect(exactEquals(parseExact('"1"'), 1)).toBe(false);
    expect(exactEquals(parseExact('[]'), parseExact('{}'))).toBe(false);
    expect(exactEquals(parseExact('{"a":null}'), parseExact('{"b":null}'))).toBe(false);
    expect(exactEquals(parseExact('9007199254740993'), 9007199254740992)).toBe(false);
    expect(exactEquals(parseExact('null'), parseExact('[]'))).toBe(false);
  });
});

describe('stringifyExact', () => {
  test('agrees with JSON.stringify on plain values', () => {
    fc.assert(
      fc.property(
        fc.object({
          withDate: true,
          withNullPrototype: true,
          values: [fc.anything({ maxDepth: 0 }), fc.constant(undefined)],
        }),
        (value) => {
          expect(stringifyExact(value)).toBe(JSON.stringify(value));
        },
      ),
    );
  });

  test('prints dates as ISO text and drops undefined members', () => {
    expect(
      stringifyExact({
        at: new Date(0),
        gone: undefined,
        list: [undefined, new ExactNumber('1e400'), new JsonText('{ }')],
      }),
    ).toBe('{"at":"1970-01-01T00:00:00.000Z","list":[null,1e400,{ }]}');
  });
});
