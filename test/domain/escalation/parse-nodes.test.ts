/** Parsing branches, conditions and targets: which documents are accepted, and the pointers of all others. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  parseEscalationPathDocument,
  parseTeamPolicyDocument,
} from '../../../src/domain/escalation/parse.ts';
import { allNodes, locateLevels } from '../../../src/domain/escalation/types.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/json/exact-values.ts';
import {
  uuid,
  level,
  hours,
  STANDARD,
  branch,
  defer,
  path,
  withNodes,
  withConditions,
  problems,
} from './documents.ts';

/** `depth` branches inside each other, the innermost with these nodes. */
const nested = (depth: number, innermost: readonly ExactValue[]): ExactObject =>
  branch({ then: depth === 1 ? [...innermost] : [nested(depth - 1, innermost)] });

describe('a branch', () => {
  test('comes back whole, with an empty list for an absent side', () => {
    const { then: _then, else: _else, ...bare } = branch();
    const whole = branch({
      conditions: [STANDARD, { type: 'working_hours', working_hours_id: 'office', active: false }],
      then: [defer()],
      else: [level()],
    });
    const result = parseEscalationPathDocument(withNodes(bare, whole));
    expect(result.ok && result.document.nodes).toEqual([{ ...bare, then: [], else: [] }, whole]);
  });

  test.each<[string, ExactObject, string[]]>([
    ['no condition', { conditions: [] }, ['/nodes/0/conditions invalid_value']],
    [
      '11 conditions',
      { conditions: Array.from({ length: 11 }, () => STANDARD) },
      ['/nodes/0/conditions too_many'],
    ],
    ['conditions that are no list', { conditions: STANDARD }, ['/nodes/0/conditions invalid_type']],
    ['a side that is no list', { then: null }, ['/nodes/0/then invalid_type']],
    ['targets', { targets: [] }, ['/nodes/0/targets unknown_field']],
    [
      'a bad node on either side',
      { then: [level({ targets: [] })], else: [1] },
      ['/nodes/0/then/0/targets invalid_value', '/nodes/0/else/0 invalid_type'],
    ],
  ])('with %s is refused with a pointer', (_, members, expected) => {
    expect(problems(withNodes(branch(members)))).toEqual(expected);
  });

  test('may have ten conditions', () => {
    expect(
      problems(withNodes(branch({ conditions: Array.from({ length: 10 }, () => STANDARD) }))),
    ).toEqual([]);
  });

  test('needs node ids that are unique in the whole document', () => {
    const one = level();
    const pair = branch({ then: [one], else: [branch({ else: [one] })] });
    expect(problems(withNodes(pair))).toEqual(['/nodes/0/else/0/else/0/id duplicate_id']);
    expect(problems(withNodes(branch({ id: one['id'] ?? null, then: [one] })))).toEqual([
      '/nodes/0/then/0/id duplicate_id',
    ]);
  });

  test('nests at most 32 levels deep', () => {
    expect(problems(withNodes(nested(31, [level()])))).toEqual([]);
    expect(problems(withNodes(nested(32, [])))).toEqual([]);
    expect(problems(withNodes(nested(32, [level()])))).toEqual([
      `/nodes/0${'/then/0'.repeat(31)}/then too_deep`,
    ]);
    expect(problems(withNodes(nested(1_000, [level()])))).toEqual([
      `/nodes/0${'/then/0'.repeat(31)}/then too_deep`,
    ]);
  });

  test('counts with its nodes towards the 500 of the document, and too many are reported once', () => {
    const levels = (count: number) => Array.from({ length: count }, () => level());
    const full = parseEscalationPathDocument(
      withNodes(branch({ then: levels(250), else: [branch({ else: levels(247) })] }), level()),
    );
    expect(full.ok && allNodes(full.document.nodes)).toHaveLength(500);
    expect(
      problems(withNodes(branch({ then: levels(250), else: levels(249) }), branch(), level())),
    ).toEqual(['/nodes/0/else too_many']);
    expect(
      problems(withNodes(...levels(499), branch({ then: levels(1), else: levels(1) }))),
    ).toEqual(['/nodes/499/then too_many']);
    expect(problems(withNodes(branch({ then: levels(501) })))).toEqual(['/nodes/0/then too_many']);
  });
});

const leaf = (id: string, members: ExactObject = {}): ExactObject => ({
  id,
  field: '/request/tool',
  operator: 'equals',
  value: 'pay',
  ...members,
});
const request = (when: ExactValue): ExactObject => ({ type: 'request', when });
const WHEN = '/nodes/0/conditions/0/when';

describe('a condition of a branch', () => {
  test.each<[string, ExactValue, string[]]>([
    ['no object', 'urgent', ['/nodes/0/conditions/0 invalid_type']],
    ['without type', { urgency: 'standard' }, ['/nodes/0/conditions/0/type required']],
    [
      'of an unknown type',
      { type: 'weather' },
      ['/nodes/0/conditions/0/type unknown_condition_type'],
    ],
    [
      'of an unknown urgency',
      { type: 'urgency', urgency: 'high' },
      ['/nodes/0/conditions/0/urgency invalid_value'],
    ],
    ['of no urgency', { type: 'urgency' }, ['/nodes/0/conditions/0/urgency required']],
    [
      'of hours that does not say which way',
      { type: 'working_hours', working_hours_id: 'office' },
      ['/nodes/0/conditions/0/active required'],
    ],
    [
      'of hours that are active in words',
      { type: 'working_hours', working_hours_id: 'office', active: 'yes' },
      ['/nodes/0/conditions/0/active invalid_type'],
    ],
    ['of two kinds', { ...STANDARD, active: true }, ['/nodes/0/conditions/0/active unknown_field']],
    [
      'of a request that asks nothing',
      { type: 'request' },
      ['/nodes/0/conditions/0/when required'],
    ],
    [
      'of a request by an unknown field',
      request(leaf('a', { field: '/secret' })),
      [`${WHEN}/field invalid_value`],
    ],
    [
      'of a request by an unknown operator',
      request(leaf('a', { operator: 'resembles' })),
      [`${WHEN}/operator invalid_value`],
    ],
    [
      'of a request with an item outside a list',
      request(leaf('a', { field: '/item' })),
      [`${WHEN}/field invalid_value`],
    ],
    ['of all of nothing', request({ id: 'a', all: [] }), [`${WHEN}/all invalid_value`]],
    ['with an id of 65 characters', request(leaf('x'.repeat(65))), [`${WHEN}/id invalid_value`]],
    [
      'with a bad pattern',
      request(leaf('a', { operator: 'matches', value: '(' })),
      [`${WHEN}/value invalid_pattern`],
    ],
    [
      'with 501 leaves',
      request({ id: 'all', all: Array.from({ length: 501 }, (_, n) => leaf(`l${n}`)) }),
      [`${WHEN} too_many`],
    ],
  ])('%s is refused with a pointer', (_, condition, expected) => {
    expect(problems(withConditions(condition))).toEqual(expected);
  });

  test('needs condition ids that are unique in the whole document', () => {
    const inside = branch({ conditions: [request({ id: 'x', any: [leaf('b'), leaf('a')] })] });
    const document = withNodes(
      branch({ conditions: [request(leaf('a')), request(leaf('a'))], else: [inside] }),
      branch({ conditions: [request(leaf('x'))] }),
    );
    expect(problems(document)).toEqual([
      '/nodes/0/conditions/1/when/id duplicate_id',
      '/nodes/0/else/0/conditions/0/when/any/1/id duplicate_id',
      '/nodes/1/conditions/0/when/id duplicate_id',
    ]);
  });

  test('nests at most 32 levels deep, wherever its branch is', () => {
    let trees = 0;
    const tree = (depth: number): ExactObject =>
      depth === 1 ? leaf(`t${(trees += 1)}`) : { id: `t${(trees += 1)}`, all: [tree(depth - 1)] };
    expect(
      problems(withNodes(nested(31, [level()]), branch({ conditions: [request(tree(32))] }))),
    ).toEqual([]);
    expect(problems(withConditions(request(tree(33))))).toEqual([
      `${WHEN}${'/all/0'.repeat(32)} too_deep`,
    ]);
  });

  test('counts towards the 10,000 leaves of the document', () => {
    let leaves = 0;
    const many = () =>
      request({
        id: `all-${(leaves += 1)}`,
        all: Array.from({ length: 500 }, () => leaf(`l${(leaves += 1)}`)),
      });
    const two = Array.from({ length: 2 }, () =>
      branch({ conditions: Array.from({ length: 10 }, many) }),
    );
    expect(problems(withNodes(...two))).toEqual([]);
    expect(problems(withNodes(...two, branch({ conditions: [request(leaf('last'))] })))).toEqual([
      '/nodes/2/conditions/0/when too_many',
    ]);
  });
});

describe('a target', () => {
  const target = (...targets: ExactValue[]) => withNodes(level({ targets }));
  const id = uuid();

  test('may be a member, a team or a broadcast, and a member and a team may have the same id', () => {
    expect(
      problems(target({ type: 'user', id }, { type: 'team', id }, { type: 'broadcast' })),
    ).toEqual([]);
  });

  test.each<[string, ExactObject, string[]]>([
    ['a team without id', target({ type: 'team' }), ['/nodes/0/targets/0/id required']],
    [
      'a team whose id is no UUID',
      target({ type: 'team', id: 'platform' }),
      ['/nodes/0/targets/0/id invalid_value'],
    ],
    [
      'a team twice',
      target({ type: 'team', id }, { type: 'team', id: id.toUpperCase() }),
      ['/nodes/0/targets/1 duplicate_target'],
    ],
    ['a role', target({ type: 'role', id }), ['/nodes/0/targets/0/type unknown_target_type']],
  ])('%s is refused with a pointer', (_, document, expected) => {
    expect(problems(document)).toEqual(expected);
  });

  test('is located by its pointer on any side of any branch', () => {
    const result = parseEscalationPathDocument(
      withNodes(level(), branch({ then: [defer(), level()], else: [branch({ else: [level()] })] })),
    );
    expect(result.ok && locateLevels(result.document).map(({ pointer }) => pointer)).toEqual([
      '/nodes/0',
      '/nodes/1/then/1',
      '/nodes/1/else/0/else/0',
    ]);
  });
});

describe("a team's policy", () => {
  const policy = (members: ExactObject = {}): ExactObject => ({
    working_hours: [hours()],
    nodes: [level()],
    ...members,
  });
  const policyProblems = (value: ExactValue): string[] => {
    const result = parseTeamPolicyDocument(value);
    return result.ok ? [] : result.issues.map((issue) => `${issue.pointer} ${issue.code}`);
  };

  test('has the grammar of paths, without a name', () => {
    const document = policy({
      nodes: [
        branch({ then: [defer()], else: [level({ targets: [{ type: 'user', id: uuid() }] })] }),
      ],
      repeat: { times: 1, after: '1m' },
    });
    expect(parseTeamPolicyDocument(document)).toEqual({ ok: true, document });
    expect(policyProblems(policy({ name: 'Platform' }))).toEqual(['/name unknown_field']);
    expect(policyProblems(policy({ path_key: 'platform' }))).toEqual(['/path_key unknown_field']);
    expect(policyProblems({})).toEqual(['/nodes required']);
  });

  test('cannot target teams anywhere', () => {
    const team: ExactObject = { type: 'team', id: uuid() };
    const nodes = [
      level({ targets: [{ type: 'user', id: uuid() }, team] }),
      branch({ else: [level({ targets: [team] })] }),
    ];
    expect(policyProblems(policy({ nodes }))).toEqual([
      '/nodes/0/targets/1/type unknown_target_type',
      '/nodes/1/else/0/targets/0/type unknown_target_type',
    ]);
  });

  test('has either a broadcast or members at one level, not both', () => {
    const [everyone, one]: ExactObject[] = [{ type: 'broadcast' }, { type: 'user', id: uuid() }];
    const at = (...targets: (ExactObject | undefined)[]) =>
      level({ targets: targets.flatMap((target) => target ?? []) });
    const nodes = [
      at(everyone),
      at(everyone, one),
      branch({ then: [at(one, everyone)] }),
      at(everyone, everyone),
    ];
    expect(policyProblems(policy({ nodes }))).toEqual([
      '/nodes/1/targets/0 broadcast_not_alone',
      '/nodes/2/then/0/targets/1 broadcast_not_alone',
      '/nodes/3/targets/0 broadcast_not_alone',
      '/nodes/3/targets/1 duplicate_target',
    ]);
  });
});

test('every accepted document parses to itself, and no input throws', () => {
  const noise = fc.jsonValue({ maxDepth: 2 }).map((value) => value as ExactValue);
  const or = (arbitrary: fc.Arbitrary<ExactValue>) =>
    fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: noise });
  const condition = fc.constantFrom<ExactValue>(STANDARD, {
    type: 'working_hours',
    working_hours_id: 'office',
    active: true,
  });
  const { node } = fc.letrec<{ node: ExactValue; nodes: ExactValue }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      or(fc.constant(null).map(() => level())),
      or(fc.constant(null).map(() => defer())),
      fc
        .tuple(fc.array(or(condition), { maxLength: 2 }), tie('nodes'), tie('nodes'))
        .map(([conditions, yes, no]) => branch({ conditions, then: yes, else: no })),
    ),
    nodes: fc.array(tie('node'), { maxLength: 3 }).map((list): ExactValue => list),
  }));
  fc.assert(
    fc.property(fc.array(node, { maxLength: 4 }), (nodes) => {
      const result = parseEscalationPathDocument(path({ nodes }));
      if (result.ok)
        expect(
          parseEscalationPathDocument(JSON.parse(JSON.stringify(result.document)) as ExactValue),
        ).toEqual(result);
      else expect(result.issues.length).toBeGreaterThan(0);
    }),
  );
});
