/** The meaning of conditions: our engine, another CEL engine and a direct interpreter agree. */
import { CelScalar, celEnv, celFunc, isCelError, parse, plan, type CelInput } from '@bufbuild/cel';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bindFacts,
  compileCondition,
  evaluateCondition,
  type SlotRecord,
} from '../../../src/domain/conditions/compile.ts';
import type { Condition } from '../../../src/domain/conditions/document.ts';
import { CONDITION_OPERATORS } from '../../../src/domain/conditions/operators.ts';
import {
  CONDITION_LIMITS,
  ConditionError,
  newEvaluationBudget,
  type ConditionFacts,
} from '../../../src/domain/conditions/types.ts';
import { JsonText, parseExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/json/exact-values.ts';
import { condition, facts } from './arbitraries.ts';
import { holds } from './reference.ts';

const empty = parseExact('{}') as ExactObject;

function factsWith(
  argumentsText: string,
  over: Partial<ConditionFacts['request']> = {},
): ConditionFacts {
  return {
    request: { tool: 'pay', arguments: new JsonText(argumentsText), ...over },
    agent: { slug: 'bot', name: 'Bot' },
    previous_metadata: { organization: empty, agent: empty },
  };
}

function answer(tree: Condition, argumentsText: string): boolean {
  return evaluateCondition(compileCondition(tree), factsWith(argumentsText));
}

const leaf = (
  field: string,
  operator: (typeof CONDITION_OPERATORS)[number],
  value?: ExactValue,
): Condition =>
  value === undefined ? { id: 'x', field, operator } : { id: 'x', field, operator, value };

function inBufbuild(record: SlotRecord): CelInput {
  return new Map(
    Object.entries(record).map(([slot, value]) => [
      slot,
      typeof value === 'number' ? BigInt(value) : value.map(inBufbuild),
    ]),
  );
}

/** The same CEL and the same functions in another engine. */
function evaluateWithBufbuild(tree: Condition, given: ConditionFacts): unknown {
  const compiled = compileCondition(tree);
  const { context, functions } = bindFacts(compiled, given, newEvaluationBudget());
  const env = celEnv({
    funcs: Object.entries(functions).map(([name, run]) =>
      celFunc(name, [CelScalar.INT, CelScalar.INT], CelScalar.BOOL, (slot, number) =>
        run(Number(slot), Number(number)),
      ),
    ),
  });
  const bindings = Object.fromEntries(inBufbuild(context) as Map<string, CelInput>);
  const result = plan(env, parse(compiled.source))(bindings);
  if (isCelError(result)) throw result;
  return result;
}

function errorOf(run: () => unknown): ConditionError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConditionError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

/** Objects of `members` members each. */
const wide = (objects: number, members: number): Record<string, number>[] =>
  Array.from({ length: objects }, () =>
    Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, index])),
  );

describe('three implementations of the same condition', () => {
  test('cel-js, @bufbuild/cel and a direct interpreter agree on random trees and facts', () => {
    let trues = 0;
    fc.assert(
      fc.property(condition(CONDITION_OPERATORS), facts, (tree, given) => {
        const expected = holds(tree, given);
        if (expected) trues += 1;
        expect(evaluateCondition(compileCondition(tree), given)).toBe(expected);
        expect(evaluateWithBufbuild(tree, given)).toBe(expected);
      }),
      { numRuns: 100 },
    );
    expect(trues).toBeGreaterThan(0);
  });

  test.each(CONDITION_OPERATORS)('they agree on single leaves with %s', (operator) => {
    fc.assert(
      fc.property(condition([operator]), facts, (tree, given) => {
        const expected = holds(tree, given);
        expect(evaluateCondition(compileCondition(tree), given)).toBe(expected);
        expect(evaluateWithBufbuild(tree, given)).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });
});

describe('operators', () => {
  const at = '/request/arguments/v';

  test.each(CONDITION_OPERATORS.filter((operator) => operator !== 'not_exists'))(
    '%s is false on a missing field',
    (operator) => {
      const values: Partial<Record<string, ExactValue>> = {
        in: [null],
        not_in: [1],
        matches: '',
        not_matches: 'x',
        exists: undefined,
      };
      expect(answer(leaf(at, operator, operator in values ? values[operator] : 1), '{}')).toBe(
        false,
      );
    },
  );

  test.each([
    ['less_than', 5],
    ['greater_than_or_equal', 5],
    ['less_than', '2026-01-01T00:00:00Z'],
    ['contains', 'a'],
    ['not_contains', 'a'],
    ['starts_with', ''],
    ['ends_with', ''],
    ['matches', ''],
    ['not_matches', 'zzz'],
  ] as const)('%s is false on a value of the wrong type', (operator, value) => {
    for (const wrong of ['null', 'true', '{}', '{"a":1}'])
      expect(answer(leaf(at, operator, value), `{"v":${wrong}}`)).toBe(false);
  });

  test('a present null exists, and a missing field does not', () => {
    expect(answer(leaf(at, 'exists'), '{"v":null}')).toBe(true);
    expect(answer(leaf(at, 'not_exists'), '{"v":null}')).toBe(false);
    expect(answer(leaf(at, 'not_exists'), '{}')).toBe(true);
  });

  test('numbers compare by every digit', () => {
    expect(
      answer(leaf(at, 'equals', parseExact('9007199254740993')), '{"v":9007199254740992}'),
    ).toBe(false);
    expect(
      answer(leaf(at, 'less_than', parseExact('9007199254740993')), '{"v":9007199254740992}'),
    ).toBe(true);
    expect(answer(leaf(at, 'equals', 1), '{"v":1.000e0}')).toBe(true);
    expect(answer(leaf(at, 'greater_than', parseExact('1e400')), '{"v":1.1e400}')).toBe(true);
    expect(answer(leaf(at, 'contains', parseExact('10e-1')), '{"v":[0,1]}')).toBe(true);
    expect(answer(leaf(at, 'equals', '1'), '{"v":1}')).toBe(false);
  });

  test('times compare as instants, with any offset and fraction, and only when both sides are times', () => {
    const late = '2026-03-01T12:00:00.0000000002+01:00';
    expect(answer(leaf(at, 'less_than', late), '{"v":"2026-03-01T11:00:00.0000000001Z"}')).toBe(
      true,
    );
    expect(
      answer(leaf(at, 'less_than_or_equal', late), '{"v":"2026-03-01T11:00:00.00000000020Z"}'),
    ).toBe(true);
    expect(answer(leaf(at, 'greater_than', late), '{"v":"2026-03-01T11:00:00.0000000003z"}')).toBe(
      true,
    );
    expect(
      answer(leaf(at, 'greater_than', '2024-02-28T00:00:00Z'), '{"v":"2024-02-29T00:00:00Z"}'),
    ).toBe(true);
    for (const none of ['2023-02-29T00:00:00Z', '2026-01-01', '2026-01-01T24:00:00Z', 'zzz']) {
      expect(
        answer(leaf(at, 'greater_than', '2020-01-01T00:00:00Z'), JSON.stringify({ v: none })),
      ).toBe(false);
    }
    expect(answer(leaf(at, 'greater_than', '2020-01-01T00:00:00Z'), '{"v":1e18}')).toBe(false);
  });

  test('matches searches anywhere in the text, by the rules of RE2, in linear time', () => {
    expect(answer(leaf(at, 'matches', 'b+'), '{"v":"abbc"}')).toBe(true);
    expect(answer(leaf(at, 'matches', '^b+$'), '{"v":"abbc"}')).toBe(false);
    expect(
      answer(leaf(at, 'matches', '^(a+)+$'), JSON.stringify({ v: `${'a'.repeat(200_000)}b` })),
    ).toBe(false);
  });

  test('only own members count: prototypes, lengths and array indexes unknown to JSON pointers are missing', () => {
    for (const field of [
      'toString',
      '__proto__',
      'constructor/name',
      'l/length',
      'l/-',
      'l/00',
      'l/01',
      'l/ 0',
      'n/source',
      's/0',
      's/length',
    ]) {
      expect(
        answer(leaf(`/request/arguments/${field}`, 'exists'), '{"l":[1,2],"n":1e400,"s":"text"}'),
      ).toBe(false);
    }
    expect(
      answer(leaf('/request/arguments/__proto__/x', 'equals', 1), '{"__proto__":{"x":1}}'),
    ).toBe(true);
    expect(answer(leaf('/request/arguments/a~1b~0~01', 'equals', 1), '{"a/b~~1":1}')).toBe(true);
    expect(answer(leaf('/request/arguments/', 'equals', 1), '{"":1}')).toBe(true);
    expect(answer(leaf('/request/arguments/l/1', 'equals', 2), '{"l":[1,2]}')).toBe(true);
  });
});

describe('composites', () => {
  const list = (kind: 'some' | 'every', inner: Condition): Condition =>
    kind === 'some'
      ? { id: 'x', some: { field: '/request/arguments/list', condition: inner } }
      : { id: 'x', every: { field: '/request/arguments/list', condition: inner } };

  test('every is false for an empty list, a missing list and a value that is not a list', () => {
    for (const text of ['{"list":[]}', '{}', '{"list":{"0":1}}', '{"list":"11"}']) {
      expect(answer(list('every', leaf('/item', 'not_exists')), text)).toBe(false);
      expect(answer(list('some', leaf('/item', 'exists')), text)).toBe(false);
    }
    expect(answer(list('every', leaf('/item', 'exists')), '{"list":[null]}')).toBe(true);
  });

  test('/item is the innermost item, and other fields stay available', () => {
    const tree = list('some', {
      id: 'x',
      all: [
        leaf('/item/name', 'equals', 'b'),
        { id: 'x', every: { field: '/item/prices', condition: leaf('/item', 'greater_than', 10) } },
        leaf('/request/tool', 'equals', 'pay'),
      ],
    });
    expect(
      answer(tree, '{"list":[{"name":"a","prices":[11]},{"name":"b","prices":[11,12]}]}'),
    ).toBe(true);
    expect(
      answer(tree, '{"list":[{"name":"a","prices":[11]},{"name":"b","prices":[11,10]}]}'),
    ).toBe(false);
  });

  test('every part of a composite is evaluated safely, although cel-js does not stop at the first true', () => {
    expect(
      answer(
        {
          id: 'x',
          any: [leaf('/request/tool', 'exists'), leaf('/request/arguments/a/b/c', 'less_than', 1)],
        },
        '{"a":7}',
      ),
    ).toBe(true);
    expect(
      answer(
        {
          id: 'x',
          all: [leaf('/request/tool', 'exists'), leaf('/request/arguments/a/b/c', 'less_than', 1)],
        },
        '{"a":7}',
      ),
    ).toBe(false);
  });
});

describe('containment', () => {
  test('nothing of the document or the request reaches the CEL source or its context', () => {
    const nasty = '"]) || true // \n\' \\u0000 ${x}';
    const tree: Condition = {
      id: nasty,
      any: [
        leaf(
          `/request/arguments/${nasty.replaceAll('~', '').replaceAll('/', '~1')}`,
          'equals',
          nasty,
        ),
      ],
    };
    const compiled = compileCondition(tree);
    expect(compiled.source).toBe('(op_equals(f0, 0))');
    const { context } = bindFacts(
      compiled,
      factsWith('{"secret":"hunter2"}'),
      newEvaluationBudget(),
    );
    expect(Object.getPrototypeOf(context)).toBeNull();
    expect(JSON.stringify(context)).toBe('{"f0":0}');
  });

  test('the widest and deepest valid condition compiles and answers', () => {
    const wide: Condition = {
      id: 'x',
      any: Array.from({ length: CONDITION_LIMITS.leavesPerCondition }, () =>
        leaf('/request/arguments/v', 'equals', 2),
      ),
    };
    expect(answer(wide, '{"v":1}')).toBe(false);
    let deep = leaf('/item', 'equals', 1);
    for (let level = 1; level < CONDITION_LIMITS.depth; level += 1)
      deep = {
        id: 'x',
        some: {
          field: level === CONDITION_LIMITS.depth - 1 ? '/request/arguments/v' : '/item',
          condition: deep,
        },
      };
    expect(answer(deep, `{"v":${'['.repeat(31)}1${']'.repeat(31)}}`)).toBe(true);
  });

  test('an invalid tree does not compile', () => {
    let deep = leaf('/request/tool', 'exists');
    for (let level = 0; level < CONDITION_LIMITS.depth; level += 1) deep = { id: 'x', all: [deep] };
    const broken = [
      deep,
      { id: 'x', all: [] },
      leaf('/item', 'exists'),
      leaf('/secrets', 'exists'),
      leaf('/request/tool', 'matches', '('),
      null,
    ];
    for (const tree of broken)
      expect(errorOf(() => compileCondition(tree as Condition)).code).toBe('condition_invalid');
  });

  test('work that grows with the request ends in an error, not in a stalled process', () => {
    const every = (inner: Condition): Condition => ({
      id: 'x',
      every: { field: '/request/arguments/v', condition: inner },
    });
    const cubic = every(every(every(leaf('/item', 'exists'))));
    expect(
      errorOf(() => answer(cubic, JSON.stringify({ v: Array.from({ length: 1_000 }, () => 1) })))
        .code,
    ).toBe('condition_too_costly');
    const blowUp = leaf('/request/arguments/v', 'matches', '[ab]*a[ab]{200}[cd]');
    expect(errorOf(() => answer(blowUp, JSON.stringify({ v: 'ab'.repeat(400_000) }))).code).toBe(
      'condition_too_costly',
    );
  });

  test.each([
    // [what, operator, field, literal, units at least, units at most]
    [
      'a long text in a longer one',
      'contains',
      'a'.repeat(60_000),
      'a'.repeat(4_000),
      35_000,
      50_000,
    ],
    ['a word in a long text', 'contains', 'a'.repeat(60_000), 'aab', 60, 120],
    ['a long text in short ones of a list', 'contains', ['a', 'b'], 'a'.repeat(4_000), 1, 2],
    ['a large object among large ones', 'contains', wide(12, 400), wide(1, 400)[0], 500, 2_000],
    ['a large object and another', 'equals', wide(100, 400), wide(100, 400), 8_000, 20_000],
    ['an object with a large member', 'equals', { o: wide(1, 9_000)[0] }, { o: {} }, 900, 2_000],
    ['a text and a large object', 'equals', 'a', wide(1, 400)[0], 1, 100],
    ['one of many numbers and a text', 'in', 'a', Array.from({ length: 1_000 }, () => 1), 1, 110],
  ] as const)('%s: what takes long counts as work', (_what, operator, field, literal, from, to) => {
    const compiled = compileCondition(leaf('/request/arguments/v', operator, literal));
    const facts = factsWith(JSON.stringify({ v: field }));
    const within = (units: number) => () =>
      evaluateCondition(compiled, facts, newEvaluationBudget(units));
    if (from > 1) expect(errorOf(within(from)).code).toBe('condition_too_costly');
    expect(typeof within(to)()).toBe('boolean');
  });

  test('conditions that are evaluated together share a budget', () => {
    const compiled = compileCondition(leaf('/request/tool', 'exists'));
    const budget = newEvaluationBudget(2);
    expect(evaluateCondition(compiled, factsWith('{}'), budget)).toBe(true);
    expect(evaluateCondition(compiled, factsWith('{}'), budget)).toBe(true);
    expect(errorOf(() => evaluateCondition(compiled, factsWith('{}'), budget)).code).toBe(
      'condition_too_costly',
    );
  });

  test('an error contains neither the request nor the condition', () => {
    const compiled = compileCondition(leaf('/request/arguments/v', 'equals', 1));
    const error = errorOf(() => evaluateCondition(compiled, factsWith('{"v":"hunter2"')));
    expect(error.code).toBe('condition_failed');
    expect(`${error.message}${String(error.cause)}`).not.toContain('hunter2');
  });

  test('arguments that no field uses are never parsed', () => {
    const compiled = compileCondition(leaf('/request/tool', 'equals', 'pay'));
    expect(evaluateCondition(compiled, factsWith('this is not JSON'))).toBe(true);
  });
});
