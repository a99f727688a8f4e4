/** Making branches of rules, and rules without the systems that they ask. */
import { describe, expect, test } from '@jest/globals';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import { sourceAt } from '../../../web/src/shared/editor/splices.ts';
import { readDocument } from '../../../web/src/shared/editor/problems.ts';
import {
  canBeBranch,
  groupsAround,
  makeBranch,
} from '../../../web/src/areas/rules/document/make-branch.ts';
import { withoutSystems } from '../../../web/src/areas/rules/must-hold/without-systems.ts';

const leaf = (id: string, value = '1') =>
  `{"id":"${id}","field":"/request/arguments/${id}","operator":"equals","value":${value}}`;
const rule = (id: string, when = leaf(`${id}-test`)) =>
  `{"id":"${id}","name":"${id}","type":"cel","config":{"on_match":"approve","reason":"R","when":${when}}}`;
const branch = (id: string, ...blocks: readonly string[]) =>
  `{"id":"${id}","name":"${id}","type":"branch","config":{"when":${leaf(`${id}-test`)},"reason":"R","blocks":[${blocks.join(',')}]}}`;
const all = (...blocks: readonly string[]) => `{"blocks":[${blocks.join(',')}]}`;

/** Without white space, which a new place gives a part. */
const at = (text: string, pointer: string) => sourceAt(text, pointer)?.replaceAll(/\s+/g, '');

describe('a rule that becomes a branch', () => {
  const group = `{"id":"any","any":[${leaf('x')},{"id":"deep","all":[${leaf('y', '1.50')},${leaf('z')}]}]}`;
  const text = all(
    rule('a', `{"id":"whole","all":[${leaf('tool', '"refund"')},${group}]}`),
    rule('b'),
  );

  test('has its simple tests outside and the others in a rule inside, digit for digit', () => {
    const made = makeBranch(text, '/blocks/0');
    expect(at(made, '/blocks/0/type')).toBe('"branch"');
    expect(at(made, '/blocks/0/config/when')).toBe(leaf('tool', '"refund"'));
    expect(at(made, '/blocks/0/config/blocks/0/config/when')).toBe(group);
    expect(at(made, '/blocks/0/config/blocks/0/id')).toBe('"a"');
    expect(at(made, '/blocks/1')).toBe(rule('b'));
  });

  test('divides tests that are all simple after the first', () => {
    const made = makeBranch(
      all(rule('a', `{"id":"whole","all":[${leaf('x')},${leaf('y')},${leaf('z')}]}`)),
      '/blocks/0',
    );
    expect(at(made, '/blocks/0/config/when/id')).toBe('"x"');
    expect(at(made, '/blocks/0/config/blocks/0/config/when')).toBe(
      `{"id":"whole","all":[${leaf('y')},${leaf('z')}]}`,
    );
  });

  test('has two tests or more that must all hold', () => {
    const can = (source: string) => canBeBranch(parseExact(source) as never);
    expect(can(sourceAt(text, '/blocks/0') ?? '')).toBe(true);
    expect(can(rule('a'))).toBe(false);
    expect(can(rule('a', `{"id":"g","any":[${leaf('x')},${leaf('y')}]}`))).toBe(false);
    expect(can(branch('b', rule('c')))).toBe(false);
    expect(groupsAround(parseExact(leaf('x')) as never)).toBe(0);
    expect(groupsAround(parseExact(`{"id":"w","all":[${group}]}`) as never)).toBe(3);
  });
});

test('rules that ask another system end a test, in branches too, and those that are off do not', () => {
  const asks = (id: string, more = '') =>
    `{"id":"${id}","name":"${id}","type":"webhook"${more},"config":{"endpoint_key":"k"}}`;
  const text = all(
    asks('off', ',"enabled":false'),
    branch('b', asks('in')),
    rule('a', leaf('n', '1.0')),
  );
  const { value } = readDocument(text);
  const { text: result, asking } = withoutSystems(text, value ?? null);
  expect([...asking]).toEqual(['in']);
  expect(sourceAt(result, '/blocks/0')).toBe(asks('off', ',"enabled":false'));
  expect(sourceAt(result, '/blocks/1/config/blocks/0/type')).toBe('"always"');
  expect(sourceAt(result, '/blocks/2')).toBe(rule('a', leaf('n', '1.0')));
});
