/** Presentations point into arguments; the built-in ones keep the rules of those that people write. */
import { describe, expect, test } from '@jest/globals';
import {
  builtInPresentations,
  findBuiltIn,
} from '../../../src/domain/agents/built-in-presentations/catalog.ts';
import {
  pointersIn,
  presentationEntrySchema,
  presentFields,
  type PresentationField,
} from '../../../src/domain/agents/tool-presentations.ts';
import { readBy } from '../../../src/domain/issues.ts';

const field = { path: '/amount', label: 'Amount', kind: 'money' };
const entry = { tool: 'refund', title: 'Refund {/amount}', fields: [field] };

function issuesOf(more: object): (readonly [string, string])[] {
  const read = readBy(presentationEntrySchema, { ...entry, ...more });
  return read.ok ? [] : read.issues.map(({ pointer, code }) => [pointer, code] as const);
}
const withField = (more: object) => ({ fields: [{ ...field, ...more }] });

test.each<[string, object]>([
  ['the whole arguments', withField({ path: '' })],
  ['escaped names', withField({ path: '/a~1b/~0c//0' })],
  ['a diff of two values', withField({ kind: 'diff', before: '/old', after: '/new' })],
  ['a list of paths', withField({ kind: 'list', item: { kind: 'path' } })],
  ['braces without a pointer', { title: 'Set {name} and {} to {/value}' }],
  ['a title of 300 letters beyond the basic plane', { title: '𝒙'.repeat(300) }],
  ['50 fields', { fields: Array.from({ length: 50 }, () => field) }],
  ['no fields', { fields: [] }],
])('an entry may have %s', (_what, more) => {
  expect(issuesOf(more)).toEqual([]);
});

test.each<[string, object, string, string]>([
  ['no tool', { tool: undefined }, '/tool', 'required'],
  ['an invisible tool', { tool: '\u202e' }, '/tool', 'invalid_value'],
  ['a tool of 513 characters', { tool: 'x'.repeat(513) }, '/tool', 'invalid_value'],
  ['NUL in a server', { server: 'a\0' }, '/server', 'invalid_value'],
  ['an empty title', { title: '' }, '/title', 'invalid_value'],
  ['a title of 301 characters', { title: 'x'.repeat(301) }, '/title', 'invalid_value'],
  ['a reordering title', { title: 'Pay \u202e1' }, '/title', 'invalid_value'],
  ['an open placeholder', { title: 'Pay {/amount' }, '/title', 'invalid_value'],
  ['a bad escape in a placeholder', { title: 'Pay {/a~2}' }, '/title', 'invalid_value'],
  ['51 fields', { fields: Array.from({ length: 51 }, () => field) }, '/fields', 'too_many'],
  ['a path that is no pointer', withField({ path: 'amount' }), '/fields/0/path', 'invalid_value'],
  ['a bad escape', withField({ path: '/a~' }), '/fields/0/path', 'invalid_value'],
  ['an unknown kind', withField({ kind: 'html' }), '/fields/0/kind', 'invalid_value'],
  ['an unknown role', withField({ role: 'hidden' }), '/fields/0/role', 'invalid_value'],
  ['an unknown member', withField({ html: true }), '/fields/0/html', 'unknown_field'],
  ['before of a text', withField({ before: '/a' }), '/fields/0/before', 'invalid_value'],
  ['item of a text', withField({ item: {} }), '/fields/0/item', 'invalid_value'],
])('an entry may not have %s', (_what, more, pointer, code) => {
  expect(issuesOf(more)).toEqual([[pointer, code]]);
});

test('the placeholders of a title are its pointers', () => {
  expect(pointersIn('Edit {/file_path}{/a~1b} in {place} {}')).toEqual(['/file_path', '/a~1b']);
});

test('fields, and parts of a diff, that point to nothing are left out', () => {
  const fields: PresentationField[] = [
    { path: '/a', label: 'A', kind: 'text', role: 'primary' },
    { path: '/b', label: 'B', kind: 'text' },
    { path: '/a', label: 'C', kind: 'diff', before: '/b', after: '/a' },
  ];
  expect(presentFields(fields, (pointer) => pointer === '/a')).toEqual([
    fields[0],
    { path: '/a', label: 'C', kind: 'diff', after: '/a' },
  ]);
});

describe('the built-in presentations', () => {
  test('keep every rule of an entry', () => {
    const problems = builtInPresentations.flatMap((each) => {
      const read = readBy(presentationEntrySchema, each);
      return read.ok ? [] : read.issues.map((issue) => ({ tool: each.tool, ...issue }));
    });
    expect(problems).toEqual([]);
  });

  test('have placeholders in titles only for what is also a field', () => {
    const astray = builtInPresentations.flatMap(({ tool, title, fields }) =>
      pointersIn(title)
        .filter((pointer) => !fields.some(({ path }) => path === pointer))
        .map((pointer) => [tool, pointer]),
    );
    expect(astray).toEqual([]);
  });

  test('are at least 25, with one entry for each name', () => {
    const names = builtInPresentations.map(({ tool, server }) => JSON.stringify([tool, server]));
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(builtInPresentations.map(({ title }) => title)).size).toBeGreaterThanOrEqual(25);
  });

  test('show no field twice', () => {
    const twice = builtInPresentations.filter(
      ({ fields }) => new Set(fields.map(({ path }) => path)).size < fields.length,
    );
    expect(twice.map(({ tool }) => tool)).toEqual([]);
  });

  test('are found by server and tool, then by tool', () => {
    expect(findBuiltIn('query', 'postgres')?.title).toBe('Run SQL');
    expect(findBuiltIn('query', 'search')).toBeUndefined();
    expect(findBuiltIn('Bash', undefined)).toBe(findBuiltIn('Bash', 'any'));
    expect(findBuiltIn('__proto__', undefined)).toBeUndefined();
  });
});
