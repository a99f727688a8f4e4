/** Which condition trees are refused, and where. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileCondition } from '../../../src/domain/conditions/compile.ts';
import { CONDITION_OPERATORS } from '../../../src/domain/conditions/operators.ts';
import { CONDITION_LIMITS } from '../../../src/domain/conditions/types.ts';
import type { Condition } from '../../../src/domain/conditions/document.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../src/platform/json/exact-values.ts';
import { condition, exactValue } from './arbitraries.ts';

/** Reads a pipeline with a block for each of the trees. */
function read(trees: readonly ExactValue[]) {
  const blocks = trees.map((when, index) => ({
    id: `block-${index}`,
    name: 'Block',
    type: 'cel',
    config: { when, on_match: 'deny', reason: 'Because.' },
  }));
  return parsePipelineDocument({ blocks });
}

type Reading = { readonly ok: true; readonly condition: Condition } | { readonly ok: false };

function parseCondition(value: ExactValue): Reading {
  const parsed = read([value]);
  if (!parsed.ok) {
    expect(parsed.issues.length).toBeGreaterThan(0);
    return { ok: false };
  }
  const [block] = parsed.document.blocks;
  if (block?.type !== 'cel') throw new Error('the block is gone');
  return { ok: true, condition: block.config.when };
}

/** The faults of the last tree, as `pointer code`; `/when` is its root. */
function check(...trees: readonly unknown[]): string[] {
  const parsed = read(trees.map((tree) => parseExact(stringifyExact(tree))));
  const root = `/blocks/${trees.length - 1}/config`;
  return parsed.ok
    ? []
    : parsed.issues.map(({ pointer, code }) => `${pointer.replace(root, '')} ${code}`);
}

const tool = { id: 'a', field: '/request/tool', operator: 'equals', value: 'pay' };
let serial = 0;
const fresh = (over: object = {}): Record<string, unknown> => ({
  ...tool,
  id: `n${(serial += 1)}`,
  ...over,
});

/** The same tree with new ids. */
function withUniqueIds(text: string): string {
  let count = 0;
  return text.replaceAll('"id":"x"', () => `"id":"x${(count += 1)}"`);
}

describe('a condition', () => {
  test('accepts every tree of the language and returns it unchanged', () => {
    fc.assert(
      fc.property(condition(CONDITION_OPERATORS), (tree) => {
        const text = withUniqueIds(stringifyExact(tree));
        const parsed = parseCondition(parseExact(text));
        expect(parsed.ok && stringifyExact(parsed.condition)).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  test('answers any JSON with issues or with a tree that compiles, and never throws', () => {
    const noise = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        exactValue,
        fc.dictionary(
          fc.constantFrom(
            'id',
            'field',
            'operator',
            'value',
            'all',
            'any',
            'some',
            'every',
            'condition',
            'x',
          ),
          fc.oneof(
            tie('node'),
            fc.array(tie('node'), { maxLength: 3 }),
            fc.constantFrom(...CONDITION_OPERATORS, '/request/tool', '/item', 'a'),
          ),
        ),
      ),
    })).node;
    fc.assert(
      fc.property(noise, (value) => {
        const parsed = parseCondition(parseExact(stringifyExact(value)));
        if (parsed.ok) compileCondition(parsed.condition);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['a list', [], ['/when invalid_type']],
    ['nothing', null, ['/when invalid_type']],
    ['an unknown member', { ...tool, 'a/b': 1 }, ['/when/a~1b unknown_field']],
    [
      'no members at all',
      {},
      ['/when/id required', '/when/field required', '/when/operator required'],
    ],
    ['an empty id', { ...tool, id: '' }, ['/when/id invalid_value']],
    ['an id of 65 characters', { ...tool, id: 'x'.repeat(65) }, ['/when/id invalid_value']],
    ['an id that is a number', { ...tool, id: 7 }, ['/when/id invalid_type']],
    ['an unknown operator', { ...tool, operator: 'like' }, ['/when/operator invalid_value']],
    ['two kinds at once', { id: 'a', all: [fresh()], any: [fresh()] }, ['/when/any unknown_field']],
    [
      'a leaf that is a composite, too',
      { ...tool, all: [fresh()] },
      ['/when/field unknown_field', '/when/operator unknown_field', '/when/value unknown_field'],
    ],
    ['an empty all', { id: 'a', all: [] }, ['/when/all invalid_value']],
    ['an empty any', { id: 'a', any: [] }, ['/when/any invalid_value']],
    ['all of an object', { id: 'a', all: {} }, ['/when/all invalid_type']],
    [
      'some without condition',
      { id: 'a', some: { field: '/request/arguments/l' } },
      ['/when/some/condition required'],
    ],
    [
      'a wrong leaf deep inside',
      { id: 'a', any: [fresh(), { id: 'c', all: [{ ...tool, id: 'd', field: 1 }] }] },
      ['/when/any/1/all/0/field invalid_type'],
    ],
  ])('refuses %s with a pointer to it', (_what, tree, issues) => {
    expect(check(tree)).toEqual(issues);
  });

  test.each([
    '',
    'request/tool',
    '/',
    '/request',
    '/request/tool/x',
    '/request/arguments~2',
    '/request/arguments/~',
    '/request/secret',
    '/agent',
    '/agent/id',
    '/previous_metadata',
    '/previous_metadata/other/x',
    '/item',
    '/item/x',
    `/request/arguments/${'x'.repeat(1_024)}`,
  ])('refuses the field %j outside of some and every', (field) => {
    expect(check({ ...tool, field })).toEqual(['/when/field invalid_value']);
  });

  test.each([
    '/request/arguments',
    '/request/arguments/',
    '/request/arguments/a~1b/0',
    '/request/context/x',
    '/previous_metadata/organization/block',
    '/agent/name',
  ])('accepts the field %j', (field) => {
    expect(check({ ...tool, field })).toEqual([]);
  });

  test('accepts /item only inside some and every', () => {
    const inside = {
      id: 'b',
      every: { field: '/request/arguments/l', condition: { ...tool, field: '/item/x' } },
    };
    expect(check(inside)).toEqual([]);
    expect(check({ id: 'b', every: { field: '/item', condition: fresh() } })).toEqual([
      '/when/every/field invalid_value',
    ]);
  });

  test.each([
    ['exists', 1, 'unknown_field'],
    ['not_exists', null, 'unknown_field'],
    ['equals', undefined, 'required'],
    ['less_than', '5', 'invalid_value'],
    ['greater_than', '2026-02-30T00:00:00Z', 'invalid_value'],
    ['greater_than', null, 'invalid_value'],
    ['in', 'a', 'invalid_value'],
    ['not_in', {}, 'invalid_value'],
    ['starts_with', 1, 'invalid_value'],
    ['ends_with', [], 'invalid_value'],
    ['matches', 1, 'invalid_value'],
    ['matches', '(', 'invalid_pattern'],
    ['matches', '(a)\\1', 'invalid_pattern'],
    ['not_matches', '(?=a)', 'invalid_pattern'],
    ['matches', 'x'.repeat(513), 'invalid_value'],
    ['equals', 'x'.repeat(4_095), 'invalid_value'],
    ['equals', 'ü'.repeat(2_048), 'invalid_value'],
  ])('%s does not accept the value %j', (operator, value, code) => {
    expect(check({ ...tool, operator, value })).toEqual([`/when/value ${code}`]);
  });

  test('accepts a pattern of 512 characters and a value of 4 KiB', () => {
    expect(check({ ...tool, operator: 'matches', value: 'x'.repeat(512) })).toEqual([]);
    expect(check({ ...tool, value: 'x'.repeat(4_094) })).toEqual([]);
  });

  test('an id may not occur twice in one document, whatever used it first', () => {
    const tree = {
      id: 'r',
      all: [fresh({ id: 'b' }), fresh({ id: 'b' }), fresh({ id: 'block-0' })],
    };
    expect(check(tree)).toEqual(['/when/all/1/id duplicate_id', '/when/all/2/id duplicate_id']);
    expect(check({ ...tool, id: 'r' }, { ...tool, id: 'r' })).toEqual(['/when/id duplicate_id']);
  });

  test('32 levels are allowed, 33 are not', () => {
    const nested = (levels: number): unknown =>
      levels === 1 ? fresh() : { id: `l${levels}`, all: [nested(levels - 1)] };
    expect(check(nested(32))).toEqual([]);
    expect(check(nested(33))).toEqual([`/when${'/all/0'.repeat(32)} too_deep`]);
  });

  test('500 leaves are allowed in a condition and 10,000 in a document', () => {
    const wide = (leaves: number): unknown => ({
      id: `w${(serial += 1)}`,
      any: Array.from({ length: leaves }, () => fresh()),
    });
    expect(check(wide(501))).toEqual(['/when too_many']);
    const full = Array.from({ length: 20 }, () => wide(500));
    expect(check(...full)).toEqual([]);
    expect(check(...full, fresh())).toEqual(['/when too_many']);
  });

  test('regular expressions that grow when compiled are counted over the whole document', () => {
    const big = (count: number): unknown => ({
      id: `p${(serial += 1)}`,
      any: Array.from({ length: count }, () =>
        fresh({ operator: 'matches', value: '(x{1000}){1}y{1000}' }),
      ),
    });
    expect(check(big(40))).toEqual([]);
    expect(check(big(60)).length).toBeGreaterThan(0);
    expect(CONDITION_LIMITS.patternWork).toBeLessThan(60 * 2_000);
  });

  test.each([
    ['wide ranges without regard to case', `(?i)${'[B-\u{1e943}]'.repeat(80)}`, 2],
    ['such ranges by number', `(?i)${String.raw`[B-\x{1e943}]`.repeat(36)}`, 2],
    ['Unicode classes', String.raw`\pL`.repeat(160), 30],
    ['Unicode classes, then a fault', `${String.raw`\pL`.repeat(160)}(`, 30],
  ])('%s count as the work that they cost', (_what, value, count) => {
    const patterns = Array.from({ length: count }, () => fresh({ operator: 'matches', value }));
    const found = check({ id: `p${(serial += 1)}`, any: patterns });
    expect(found.at(-1)).toMatch(/too_many$/);
  });

  test('a document full of mistakes has at most a hundred issues', () => {
    expect(check({ id: 'a', all: Array.from({ length: 5_000 }, () => 1) })).toHaveLength(100);
  });
});
