/** Known JSON objects are split into the same members that the exact parser finds. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonText, parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { knownLength, knownMembers } from '../../../src/platform/json/json-members.ts';

test('the members of any object are those of the parser, and print the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, spaced) => {
      const text = JSON.stringify(object, null, spaced ? 2 : undefined);
      const exact = stringifyExact(parseExact(text));
      const members = knownMembers(text, Object.keys(object));
      expect(stringifyExact(parseExact(stringifyExact(members)))).toBe(exact);
      for (const value of Object.values(members)) expect(value).toBeInstanceOf(JsonText);
      expect(stringifyExact(knownMembers(text, []))).toBe(exact);
    }),
  );
});

test('numbers keep their digits, and brackets in strings are text', () => {
  const text = '{ "a" : 1.00000000000000000001 , "b":["]}\\"",{"c":{}}],"d":"x,y" }';
  const members = knownMembers(text, ['b']);
  expect(members['b']).toEqual(new JsonText('["]}\\"",{"c":{}}]'));
  expect(stringifyExact(members)).toBe(
    '{"a":1.00000000000000000001,"b":["]}\\"",{"c":{}}],"d":"x,y"}',
  );
});

test('the length of any list is that of the parser', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.boolean(), (list, spaced) => {
      expect(knownLength(JSON.stringify(list, null, spaced ? 2 : undefined))).toBe(list.length);
    }),
  );
});
