/** JSON as source text, and what JavaScript makes of it: nothing is lost. */
import { describe, expect, test } from '@jest/globals';
import { argumentsOf, JsonText, textOf } from '../../../sdk/typescript/src/arguments.ts';
import { membersOf } from '../../../sdk/typescript/src/exact.ts';

test('members keep their source text', () => {
  const members = membersOf(' {"a" : 1.0 , "b": {"x": 9007199254740993} , "c":"é" } ');
  expect([...members]).toEqual([
    ['a', '1.0'],
    ['b', '{"x": 9007199254740993}'],
    ['c', '"é"'],
  ]);
});

describe('arguments', () => {
  test.each<[string, Record<string, unknown>]>([
    ['NaN', { a: Number.NaN }],
    ['infinity', { a: [Infinity] }],
    ['a date', { a: new Date() }],
    ['a map', { a: new Map([[1, 2]]) }],
    ['a function', { a: () => 1 }],
    ['a big integer', { a: 1n }],
    ['a hole', { a: [undefined] }],
    ['its own way to print', { a: { toJSON: () => 'else' } }],
  ])('that JSON would change are refused: %s', (_name, value) => {
    expect(() => textOf(value)).toThrow(TypeError);
  });

  test('may leave members out, and may be source text', () => {
    expect(textOf({ a: 1, b: undefined })).toBe('{"a":1}');
    expect(textOf(new JsonText('{"a": 1.0}'))).toBe('{"a": 1.0}');
    expect(() => new JsonText('[1]')).toThrow(TypeError);
    expect(() => new JsonText('{"a":1,"a":2}')).toThrow(SyntaxError);
  });

  test('are read once, so that what is checked is what is sent', () => {
    let reads = 0;
    const text = textOf({
      get amount() {
        reads += 1;
        return reads === 1 ? 1 : Number.NaN;
      },
    });
    expect(text).toBe('{"amount":1}');
    const list = Object.assign([1, 2], { toJSON: () => 'else' });
    expect(textOf({ list })).toBe('{"list":[1,2]}');
  });

  test('that are nested without an end are refused', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => textOf(cycle)).toThrow(TypeError);
    expect(() => new JsonText('{"half": "\ud83d"}')).toThrow(TypeError);
    expect(new JsonText(String.raw`{"half": "\ud83d", "whole": "😀"}`)).toBeInstanceOf(JsonText);
  });

  test('have no number that JavaScript would round', () => {
    const args = argumentsOf(
      '{"id": 9007199254740993, "list": [1e400, 0.5, -0], "a": {"__proto__": "x", "b": 12.50}}',
    ) as { id: number; list: number[]; a: object };
    expect(() => args.id).toThrow(
      /^arguments\/id is 9007199254740993, which JavaScript would round/,
    );
    expect(() => args.list[0]).toThrow(/^arguments\/list\/0 is 1e400/);
    expect(args.list.slice(1)).toEqual([0.5, -0]);
    expect(Object.entries(args.a)).toEqual([
      ['__proto__', 'x'],
      ['b', 12.5],
    ]);
    args.id = 1;
    args.list[0] = 2;
    expect([args.id, args.list]).toEqual([1, [2, 0.5, -0]]);
    expect(argumentsOf('{"id": 9007199254740992, "rate": 1.0}')).toEqual({
      id: 9007199254740992,
      rate: 1,
    });
  });
});
