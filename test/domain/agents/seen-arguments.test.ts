/** Fields of past arguments, as conditions name them. */
import { describe, expect, test } from '@jest/globals';
import {
  mostSeen,
  nothingSeen,
  tallyCalls,
  type SeenField,
} from '../../../src/domain/agents/seen-arguments.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import type { HowToShow } from '../../../src/domain/shown/shown-call.ts';

const PLAIN: HowToShow = { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES };

const tallied = (texts: readonly string[], how = PLAIN) =>
  tallyCalls({
    seen: nothingSeen(),
    calls: texts.map((text) => ({ text, how: 0 })),
    hows: [how],
  });

/** `lists pointer types count examples`, the examples as they are printed. */
function line({ lists, pointer, types, count, examples, isHidden }: SeenField): string {
  const shown = examples.map(({ isWhole, text }) => (isWhole ? text : `<${text}>`));
  return [
    ...lists,
    pointer.replace('/request/arguments', '…'),
    types.join('|'),
    count,
    ...shown,
    ...(isHidden ? ['hidden'] : []),
  ].join(' ');
}
const lines = (texts: readonly string[], how?: HowToShow) =>
  mostSeen(tallied(texts, how), 200).map(line);

describe('a field', () => {
  test('has the types and different examples of the newest calls, digit for digit, and how many calls have it', () => {
    const texts = ['{"a":1.50,"b":null}', '{"a":1.50}', '{"a":"x","c":true}', '{"a":9}', '{}'];
    expect(lines(texts)).toEqual([
      '…/a number|string 4 1.50 "x"',
      '…/b null 1',
      '…/c boolean 1 true',
    ]);
    const [a] = mostSeen(tallied(['{"a":9007199254740993}', '{"a":1e400}']), 1);
    expect(a?.examples.map(({ text }) => text)).toEqual(['9007199254740993', '1e400']);
  });

  test('inside an object is named by a pointer, with its escapes, and the object by itself', () => {
    expect(lines(['{"to":{"a/b":"x","~":1}}'])).toEqual([
      '…/to object 1',
      '…/to/a~1b string 1 "x"',
      '…/to/~0 number 1 1',
    ]);
  });

  test('of items is named with the lists around it, and counts once a call', () => {
    expect(lines(['{"to":["a","b","c"]}', '{"to":[]}'])).toEqual([
      '…/to array 2',
      '/request/arguments/to /item string 1 "a" "b"',
    ]);
    expect(lines(['{"rows":[{"tags":["x"]},{"tags":[1],"n":2}]}'])).toEqual([
      '…/rows array 1',
      '/request/arguments/rows /item object 1',
      '/request/arguments/rows /item/tags array 1',
      '/request/arguments/rows /item/tags /item string|number 1 "x" 1',
      '/request/arguments/rows /item/n number 1 2',
    ]);
  });

  test('that no condition can name is left out', () => {
    const long = 'x'.repeat(1_024);
    expect(lines([`{"${long}":1,"\\u0000":1,"\\ud800":{"a":1},"a":1}`])).toEqual([
      '…/a number 1 1',
    ]);
  });
});

describe('an example', () => {
  test('is never of a hidden value, nor of what is inside one', () => {
    const text = '{"password":"p","auth":{"client_secret":{"a":"s"}},"pin":1234,"max_tokens":5}';
    const presentation = {
      title: 'T',
      fields: [{ path: '/pin', label: 'P', kind: 'text', role: 'sensitive' }],
    };
    expect(lines([text], { ...PLAIN, presentation })).toEqual([
      '…/password string 1 hidden',
      '…/auth object 1',
      '…/auth/client_secret object 1 hidden',
      '…/pin number 1 hidden',
      '…/max_tokens number 1 5',
    ]);
    const pairs =
      '{"headers":[{"name":"Authorization","value":"Bearer s"},{"name":"Accept","value":"*"}]}';
    expect(lines([pairs]).at(-1)).toBe(
      '/request/arguments/headers /item/value string 1 "*" hidden',
    );
    const own = { ...PLAIN, hiddenNames: { defaults: false, add: ['iban'] } };
    expect(lines(['{"iban":"DE1","password":"p"}'], own)).toEqual([
      '…/iban string 1 hidden',
      '…/password string 1 "p"',
    ]);
  });

  test('of a text with a secret in it is an excerpt without it', () => {
    const [field] = lines(['{"command":"curl https://ada:pa55word@host/"}']);
    expect(field).not.toContain('pa55word');
    expect(field).toContain('•••');
  });

  test('that is long keeps its first and last part and its length, and says that it is no value', () => {
    const [field] = lines([`{"a":"begin-${'x'.repeat(5_000)}end"}`]);
    expect(field).toMatch(/^…\/a string 1 <begin-x+ … \(5,009 characters\) … x+end>$/);
    const [digits] = lines([`{"a":${'1'.repeat(81)}}`]);
    expect(digits).toMatch(/^…\/a number 1 <1+ … \(81 characters\) … 1+>$/);
  });
});

test('tallies of batches add up', () => {
  const texts = ['{"a":1}', '{"a":"x","b":[1]}', '{"b":[2]}'];
  const whole = lines(texts);
  const first = tallied(texts.slice(0, 1));
  const calls = texts.slice(1).map((text) => ({ text, how: 0 }));
  const both = tallyCalls({ seen: structuredClone(first), calls, hows: [PLAIN] });
  expect(mostSeen(both, 200).map(line)).toEqual(whole);
  expect(both.calls).toBe(3);
});

test('names made of data do not make it grow without end, and the rest is still counted', () => {
  const many = (prefix: string) =>
    `{"a":1,${Array.from({ length: 800 }, (_, index) => `"${prefix}${index}":{"b":1}`).join(',')}}`;
  const seen = tallied([many('x'), many('y')]);
  expect([seen.fields, seen.isFull, seen.calls]).toEqual([1_000, true, 2]);
  expect(mostSeen(seen, 200)).toHaveLength(200);
  expect(line(mostSeen(seen, 1)[0] as SeenField)).toBe('…/a number 2 1');
});

test('the work for a call of a megabyte grows with its length alone', () => {
  const name = 'n'.repeat(900);
  const deep = `${`{"${name}":[`.repeat(30)}${'1,'.repeat(450_000)}1${']}'.repeat(30)}`;
  const wide = `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":{"a":1}`).join(',')}}`;
  const begun = process.cpuUsage();
  expect(tallied([deep, wide]).calls).toBe(2);
  expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(5);
});
