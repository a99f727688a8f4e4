/** What the text of a pipeline shows to be probably not meant. */
import { describe, expect, test } from '@jest/globals';
import {
  inactiveNames,
  findPipelineWarnings,
} from '../../../src/domain/pipelines/warnings/find.ts';
import { always, branch, parsed } from './documents.ts';

let count = 0;
const id = (prefix = 'c') => `${prefix}${(count += 1)}`;
const leaf = (field: string, operator: string, value?: unknown, name = id()) => ({
  ...{ id: name, field: field.startsWith('/') ? field : `/request/arguments/${field}`, operator },
  ...(value !== undefined && { value }),
});
const tool = (name = 'refund') => leaf('/request/tool', 'equals', name);
const rule = (on_match: string, when: unknown, name = id('b')) => ({
  ...{ id: name, name, type: 'cel' },
  config: { on_match, reason: 'r', when },
});
const fixed = (outcome: string, name = id('b')) => ({
  ...{ ...always, id: name },
  config: { outcome, reason: 'r' },
});
const under = (when: unknown, blocks: object[], name = id('b')) => {
  const made = branch(name, blocks);
  return { ...made, config: { ...made.config, when } };
};

/** `code block condition`, as far as there is one. */
function warnings(...blocks: object[]): string[] {
  return findPipelineWarnings(parsed({ blocks })).map(({ code, blockId, conditionId }) =>
    [code, blockId, conditionId].filter((part) => part !== undefined).join(' '),
  );
}

describe('never_reached', () => {
  test('names each enabled block of a list behind one that decides everything', () => {
    const off = { ...fixed('deny', 'off'), enabled: false };
    expect(warnings(off, fixed('human', 'all'), rule('deny', tool(), 'late'))).toEqual([
      'never_reached late',
    ]);
    const inner = under(tool(), [fixed('human'), fixed('deny', 'inner')], 'refunds');
    expect(warnings(inner, rule('deny', tool('other'), 'after'))).toEqual(['never_reached inner']);
    expect(warnings(fixed('human'), { ...fixed('deny'), enabled: false })).toEqual([]);
  });
});

describe('approves_without_limit', () => {
  test.each([
    ['exists', leaf('amount', 'exists', undefined, 'c')],
    ['only names what does not pass', leaf('to', 'not_in', ['a'], 'c')],
    ['has only a lower bound', leaf('amount', 'greater_than', 0, 'c')],
    ['matches any text', leaf('command', 'matches', '^.*$', 'c')],
    ['starts with nothing', leaf('command', 'starts_with', '', 'c')],
    ['one way in is open', { id: 'c', any: [tool(), leaf('amount', 'exists')] }],
    [
      'other items of the list may be anything',
      {
        id: 'c',
        some: { field: '/request/arguments/to', condition: leaf('/item', 'equals', 'a') },
      },
    ],
  ])('is said where a condition %s', (_name, when) => {
    expect(warnings(rule('approve', when, 'b'))).toEqual(['approves_without_limit b c']);
    expect(warnings(rule('human', when, 'b')).join()).not.toContain('approves_without_limit');
    expect(warnings(under(tool(), [rule('approve', when, 'b')]))).toEqual([]);
  });

  test('is said of an approval of everything, but not in a branch that names what enters', () => {
    expect(warnings(fixed('approve', 'b'))).toEqual(['approves_without_limit b']);
    expect(warnings(under(tool(), [fixed('approve')]))).toEqual([]);
    const open = under(leaf('amount', 'exists'), [fixed('approve', 'b')]);
    expect(warnings(open)).toEqual(['approves_without_limit b']);
  });

  test('is not said where a test names what passes', () => {
    const every = { field: '/request/arguments/to', condition: leaf('/item', 'in', ['a']) };
    expect(
      warnings(
        rule('approve', { id: id(), all: [tool(), leaf('amount', 'greater_than', 0)] }),
        rule('approve', leaf('amount', 'less_than', 5)),
        rule('approve', { id: id(), every }),
      ),
    ).toEqual([]);
  });
});

describe('negative_operator_on_optional_field', () => {
  const NEGATIVE = [
    ['not_in', ['a']],
    ['not_equals', 'a'],
    ['not_contains', 'a'],
    ['not_matches', '^a$'],
  ] as const;

  test.each(NEGATIVE)('is said where %s denies, asks a person or opens a branch', (name, value) => {
    const when = (conditionId: string) => leaf('region', name, value, conditionId);
    const warning = 'negative_operator_on_optional_field';
    expect(warnings(rule('deny', when('c'), 'b'))).toEqual([`${warning} b c`]);
    expect(warnings(rule('human', when('c'), 'b'))).toEqual([`${warning} b c`]);
    expect(warnings(under(when('c'), [fixed('human')], 'b'))).toEqual([`${warning} b c`]);
    const inside = { id: 'all', all: [tool(), when('c')] };
    expect(warnings(rule('deny', inside, 'b'))).toEqual([`${warning} b c`]);
    expect(warnings(rule('next', when('c')))).toEqual([]);
  });

  test.each(NEGATIVE)('is not said where the rule treats absence, too: %s', (name, value) => {
    const negative = () => leaf('region', name, value);
    const recipe = { id: id(), any: [leaf('region', 'not_exists'), negative()] };
    expect(warnings(rule('deny', recipe))).toEqual([]);
    const within = { id: id(), all: [tool(), { ...recipe, id: id() }] };
    expect(warnings(rule('deny', within))).toEqual([]);
    const knowing = { id: id(), all: [leaf('region', 'exists'), negative()] };
    expect(warnings(rule('deny', knowing))).toEqual([]);
    const before = rule('deny', leaf('region', 'not_exists'));
    expect(warnings(before, rule('deny', negative()))).toEqual([]);
    const off = { ...before, enabled: false };
    expect(warnings(off, rule('deny', negative()))).toHaveLength(1);
    const other = { id: id(), any: [leaf('zone', 'not_exists'), negative()] };
    expect(warnings(rule('deny', other))).toHaveLength(1);
  });

  test('is not said of fields that every request has', () => {
    for (const field of ['/request/tool', '/agent/slug', '/agent/name'])
      expect(warnings(rule('deny', leaf(field, 'not_in', ['a'])))).toEqual([]);
    expect(warnings(rule('deny', leaf('/request/server', 'not_in', ['a'])))).toHaveLength(1);
  });

  test('is said of items of a list that can be absent', () => {
    const some = (listed: string, conditionId: string) => ({
      ...{ id: id() },
      some: { field: listed, condition: leaf('/item', 'not_in', ['a'], conditionId) },
    });
    const field = '/request/arguments/to';
    expect(warnings(rule('deny', some(field, 'c'), 'b'))).toEqual([
      'negative_operator_on_optional_field b c',
    ]);
    const recipe = { id: id(), any: [leaf(field, 'not_exists'), some(field, id())] };
    expect(warnings(rule('deny', recipe))).toEqual([]);
  });
});

describe('duplicate_condition', () => {
  test('names a block whose condition one before it in its list has answered', () => {
    const amount = (name: string) => leaf('amount', 'less_than', 5, name);
    expect(
      warnings(rule('human', amount('c1'), 'first'), rule('deny', amount('c2'), 'second')),
    ).toEqual(['duplicate_condition second c2']);
    const passed = rule('next', amount(id()));
    expect(warnings(passed, rule('deny', amount(id())))).toEqual([]);
    expect(warnings(under(tool(), [fixed('human')]), rule('deny', amount(id())))).toEqual([]);
  });

  test('names a part that one before it says already, in any order and spelling', () => {
    const one = (name: string) => leaf('amount', 'equals', { a: 1, b: 2 }, name);
    const two = (name: string) => leaf('amount', 'equals', { b: 2, a: 1 }, name);
    const when = { id: 'all', all: [tool(), one('c1'), two('c2')] };
    expect(warnings(rule('deny', when, 'b'))).toEqual(['duplicate_condition b c2']);
  });
});

test('takes no longer for each test when a pipeline has 10,000 of them', () => {
  const fields = (operator: string) =>
    Array.from({ length: 500 }, () => leaf(`f${(count += 1)}`, operator));
  const wrapped = (condition: object, levels: number): object =>
    levels === 0 ? condition : { id: id(), all: [wrapped(condition, levels - 1)] };
  const blocks = Array.from({ length: 20 }, (_, index) => {
    const tests = fields(index < 10 ? 'not_exists' : 'exists');
    return rule('deny', { id: id(), any: tests.map((each) => wrapped(each, index < 10 ? 0 : 6)) });
  });
  const document = parsed({ blocks });
  const begun = process.cpuUsage();
  expect(findPipelineWarnings(document)).toEqual([]);
  expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(2);
});

test('says at most 100 things', () => {
  const blocks = [fixed('human'), ...Array.from({ length: 300 }, () => fixed('deny'))];
  expect(warnings(...blocks)).toHaveLength(100);
});

test('names what has no active revision, by its block, the default path without one', () => {
  const names = {
    paths: [{ pathKey: 'a', blockId: 'x' }, { pathKey: 'b', blockId: 'y' }, { pathKey: 'c' }],
    endpoints: [
      { endpointKey: 'e', blockKey: 'z' },
      { endpointKey: 'f', blockKey: 'w' },
    ],
  };
  const active = { paths: new Set(['a']), endpoints: new Set(['f']) };
  expect(inactiveNames(names, active)).toEqual([
    { code: 'escalation_path_inactive', blockId: 'y' },
    { code: 'escalation_path_inactive' },
    { code: 'webhook_endpoint_inactive', blockId: 'z' },
  ]);
});
