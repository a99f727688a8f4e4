/** Random conditions and facts whose fields overlap often enough for operators to be true. */
import fc from 'fast-check';
import type { Condition } from '../../../src/domain/conditions/document.ts';
import type { ConditionOperator } from '../../../src/domain/conditions/operators.ts';
import type { ConditionFacts } from '../../../src/domain/conditions/types.ts';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/json/exact-values.ts';

const scalarText = fc.constantFrom(
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1',
  '1.0',
  '10e-1',
  '2',
  '-3.5',
  '9007199254740992',
  '9007199254740993',
  '1e400',
  '1e-400',
  '""',
  '"a"',
  '"ab"',
  '"1"',
  '"2026-01-01T00:00:00Z"',
  '"2026-01-01T01:00:00.000+01:00"',
  '"2026-06-01T00:00:00.0000000001Z"',
  '"2026-13-01T00:00:00Z"',
);

const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: scalarText, weight: 5 },
    {
      arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      weight: 2,
    },
    {
      arbitrary: fc
        .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'x/y', '__proto__', '0'), tie('value')), {
          maxLength: 3,
          selector: ([key]) => key,
        })
        .map(
          (members) =>
            `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
        ),
      weight: 2,
    },
  ),
})).value;

export const exactValue = jsonText.map((text): ExactValue => parseExact(text));

const exactObject = fc
  .record({ a: jsonText, b: jsonText, proto: jsonText })
  .map(({ a, b, proto }) => parseExact(`{"a":${a},"b":${b},"__proto__":${proto}}`) as ExactObject);

const scalar = scalarText.map((text): ExactValue => parseExact(text));

export const facts: fc.Arbitrary<ConditionFacts> = fc.record({
  request: fc.record(
    {
      tool: fc.constantFrom('a', 'ab', 'pay'),
      server: fc.constantFrom('a', 'b'),
      arguments: exactObject,
      agent_reasoning: fc.constantFrom('a', 'because'),
      context: exactObject,
    },
    { requiredKeys: ['tool', 'arguments'] },
  ),
  agent: fc.constant({ slug: 'a', name: 'A' }),
  previous_metadata: fc.record({ organization: exactObject, agent: exactObject }),
});

const tail = fc.array(
  fc.constantFrom('a', 'b', '0', '1', 'x~1y', '__proto__', 'constructor', 'length', '-'),
  { maxLength: 2 },
);
const rootField = fc.oneof(
  fc.constantFrom(
    '/request/tool',
    '/request/server',
    '/request/agent_reasoning',
    '/agent/slug',
    '/agent/name',
  ),
  fc
    .tuple(
      fc.constantFrom(
        '/request/arguments',
        '/request/context',
        '/previous_metadata/organization',
        '/previous_metadata/agent',
      ),
      tail,
    )
    .map(([root, tokens]) => [root, ...tokens].join('/')),
);
const itemField = tail.map((tokens) => ['/item', ...tokens].join('/'));
const listField = fc.constantFrom(
  '/request/arguments/a',
  '/request/arguments/b',
  '/request/context/a',
);

const literals: Readonly<Record<string, fc.Arbitrary<ExactValue>>> = {
  in: fc.array(scalar, { maxLength: 4 }),
  not_in: fc.array(scalar, { maxLength: 4 }),
  starts_with: fc.constantFrom('', 'a', '20'),
  ends_with: fc.constantFrom('', 'b', 'Z'),
  matches: fc.constantFrom('^a', 'b$', '[0-9]+', '', '^.$', '(?i)A'),
  not_matches: fc.constantFrom('^a', 'b$', '[0-9]+', '', '^.$', '(?i)A'),
};
const ordered = fc
  .constantFrom('0', '1', '9007199254740993', '1e400', '"2026-01-01T00:00:00Z"')
  .map((text): ExactValue => parseExact(text));
for (const operator of ['less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'])
  Object.assign(literals, { [operator]: ordered });

const VALUELESS: readonly ConditionOperator[] = ['exists', 'not_exists'];

function leaf(
  field: fc.Arbitrary<string>,
  operators: readonly ConditionOperator[],
): fc.Arbitrary<Condition> {
  return fc
    .record({ field, operator: fc.constantFrom(...operators) })
    .chain(({ field: at, operator }) =>
      VALUELESS.includes(operator)
        ? fc.constant<Condition>({ id: 'x', field: at, operator })
        : (literals[operator] ?? exactValue).map((value): Condition => ({
            id: 'x',
            field: at,
            operator,
            value,
          })),
    );
}

/** Trees over these operators. All ids are `x`. */
export function condition(operators: readonly ConditionOperator[]): fc.Arbitrary<Condition> {
  return fc.letrec<{ outer: Condition; inner: Condition }>((tie) => {
    const composites = (
      name: 'outer' | 'inner',
      lists: fc.Arbitrary<string>,
    ): fc.Arbitrary<Condition>[] => [
      fc.array(tie(name), { minLength: 1, maxLength: 3 }).map((all) => ({ id: 'x', all })),
      fc.array(tie(name), { minLength: 1, maxLength: 3 }).map((any) => ({ id: 'x', any })),
      fc
        .tuple(lists, tie('inner'))
        .map(([field, inner]) => ({ id: 'x', some: { field, condition: inner } })),
      fc
        .tuple(lists, tie('inner'))
        .map(([field, inner]) => ({ id: 'x', every: { field, condition: inner } })),
    ];
    return {
      outer: fc.oneof(
        { depthSize: 'small', maxDepth: 5 },
        leaf(rootField, operators),
        ...composites('outer', listField),
      ),
      inner: fc.oneof(
        { depthSize: 'small', maxDepth: 5 },
        leaf(fc.oneof(itemField, rootField), operators),
        ...composites('inner', fc.oneof(itemField, listField)),
      ),
    };
  }).outer;
}
