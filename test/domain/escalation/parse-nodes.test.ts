/** Working hours, branches, deferrals and targets: which documents are read, and where the others are wrong. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  parseEscalationPathDocument,
  parseTeamPolicyDocument,
} from '../../../src/domain/escalation/parse.ts';
import { LIMITS, WEEKDAYS } from '../../../src/domain/escalation/document.ts';
import { allNodes, locateLevels } from '../../../src/domain/escalation/types.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/exact-json.ts';

let serial = 0;
const uuid = () => `00000000-0000-4000-8000-${(serial += 1).toString(16).padStart(12, '0')}`;
const level = (members: ExactObject = {}): ExactObject => ({
  id: uuid(),
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '15m',
  raise_urgency: false,
  ...members,
});
const interval = (members: ExactObject = {}): ExactObject => ({
  weekdays: ['mon', 'fri'],
  start: '09:00',
  end: '17:30',
  ...members,
});
const hours = (members: ExactObject = {}): ExactObject => ({
  id: 'office',
  name: 'Office',
  timezone: 'Europe/Berlin',
  intervals: [interval()],
  ...members,
});
const STANDARD: ExactObject = { type: 'urgency', urgency: 'standard' };
const branch = (members: ExactObject = {}): ExactObject => ({
  id: uuid(),
  type: 'if_else',
  conditions: [STANDARD],
  then: [],
  else: [],
  ...members,
});
const defer = (members: ExactObject = {}): ExactObject => ({
  id: uuid(),
  type: 'defer',
  working_hours_id: 'office',
  standard_only: false,
  ...members,
});
const path = (members: ExactObject = {}): ExactObject => ({
  name: 'Payments',
  working_hours: [hours()],
  nodes: [level()],
  ...members,
});
const withHours = (...sets: ExactValue[]): ExactObject => path({ working_hours: sets });
const withInterval = (members: ExactObject): ExactObject =>
  withHours(hours({ intervals: [interval(members)] }));
const withNodes = (...nodes: ExactValue[]): ExactObject => path({ nodes });
const withConditions = (...conditions: ExactValue[]): ExactObject =>
  withNodes(branch({ conditions }));

/** The problems found, as `pointer code`. */
function problems(value: ExactValue): string[] {
  const result = parseEscalationPathDocument(value);
  return result.ok ? [] : result.issues.map((issue) => `${issue.pointer} ${issue.code}`);
}

const HOURS = '/working_hours/0';
const INTERVAL = `${HOURS}/intervals/0`;

describe('working hours', () => {
  test('keep their time zone in its canonical spelling', () => {
    const result = parseEscalationPathDocument(withHours(hours({ timezone: 'europe/berlin' })));
    expect(result).toMatchObject({
      document: { working_hours: [{ timezone: 'Europe/Berlin' }] },
    });
  });

  test.each<[string, ExactObject]>([
    ['end at midnight', withInterval({ start: '00:00', end: '24:00' })],
    ['run past midnight', withInterval({ start: '22:00', end: '06:00' })],
    ['end with the day they began on, as 00:00', withInterval({ start: '23:59', end: '00:00' })],
    ['be in a zone of half hours', withHours(hours({ timezone: 'Asia/Kolkata' }))],
    ['be in UTC', withHours(hours({ timezone: 'UTC' }))],
    [
      'overlap',
      withHours(hours({ intervals: [interval(), interval({ start: '12:00', end: '20:00' })] })),
    ],
    ['start on every day', withInterval({ weekdays: [...WEEKDAYS] })],
    [
      'come in 50 sets',
      withHours(
        ...Array.from({ length: LIMITS.workingHours }, (_, n) => hours({ id: `set-${n}` })),
      ),
    ],
    [
      'have 50 intervals',
      withHours(hours({ intervals: Array.from({ length: LIMITS.intervals }, () => interval()) })),
    ],
    [
      'have an id of 64 characters',
      path({
        working_hours: [hours({ id: 'x'.repeat(64) })],
        nodes: [defer({ working_hours_id: 'x'.repeat(64) })],
      }),
    ],
  ])('may %s', (_, document) => {
    expect(parseEscalationPathDocument(document)).toEqual({ ok: true, document });
  });

  test.each<[string, ExactObject, string[]]>([
    [
      'a zone nobody knows',
      withHours(hours({ timezone: 'Mars/Olympus' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      'an offset for a zone',
      withHours(hours({ timezone: '+02:00' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      'an offset of UTC for a zone',
      withHours(hours({ timezone: 'UTC+2' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      "the machine's own zone",
      withHours(hours({ timezone: 'local' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      'a zone with a blank',
      withHours(hours({ timezone: 'Europe/Berlin ' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    ['an empty zone', withHours(hours({ timezone: '' })), [`${HOURS}/timezone invalid_value`]],
    [
      'a zone that is no text',
      withHours(hours({ timezone: 1 })),
      [`${HOURS}/timezone invalid_type`],
    ],
    [
      '24:00 as a start',
      withInterval({ start: '24:00', end: '23:00' }),
      [`${INTERVAL}/start invalid_value`],
    ],
    ['an end after 24:00', withInterval({ end: '24:01' }), [`${INTERVAL}/end invalid_value`]],
    [
      'an hour without its zero',
      withInterval({ start: '9:00' }),
      [`${INTERVAL}/start invalid_value`],
    ],
    ['seconds', withInterval({ start: '09:00:00' }), [`${INTERVAL}/start invalid_value`]],
    ['a minute of sixty', withInterval({ end: '17:60' }), [`${INTERVAL}/end invalid_value`]],
    [
      'a line break behind the time',
      withInterval({ end: '17:0\n' }),
      [`${INTERVAL}/end invalid_value`],
    ],
    [
      'a start that is its end',
      withInterval({ start: '09:00', end: '09:00' }),
      [`${INTERVAL}/end invalid_value`],
    ],
    [
      'a day of no length',
      withInterval({ start: '00:00', end: '00:00' }),
      [`${INTERVAL}/end invalid_value`],
    ],
    [
      'a weekday twice',
      withInterval({ weekdays: ['mon', 'tue', 'mon'] }),
      [`${INTERVAL}/weekdays/2 duplicate_weekday`],
    ],
    [
      'a weekday written out',
      withInterval({ weekdays: ['monday'] }),
      [`${INTERVAL}/weekdays/0 invalid_value`],
    ],
    ['no weekday', withInterval({ weekdays: [] }), [`${INTERVAL}/weekdays invalid_value`]],
    [
      'eight weekdays',
      withInterval({ weekdays: [...WEEKDAYS, 'mon'] }),
      [`${INTERVAL}/weekdays too_many`],
    ],
    ['no interval', withHours(hours({ intervals: [] })), [`${HOURS}/intervals invalid_value`]],
    [
      '51 intervals',
      withHours(hours({ intervals: Array.from({ length: 51 }, () => interval()) })),
      [`${HOURS}/intervals too_many`],
    ],
    [
      '51 sets',
      withHours(...Array.from({ length: 51 }, (_, n) => hours({ id: `set-${n}` }))),
      ['/working_hours too_many'],
    ],
    ['an id used twice', withHours(hours(), hours()), ['/working_hours/1/id duplicate_id']],
    ['an empty id', withHours(hours({ id: '' })), [`${HOURS}/id invalid_value`]],
    [
      'an id of 65 characters',
      withHours(hours({ id: 'x'.repeat(65) })),
      [`${HOURS}/id invalid_value`],
    ],
    ['a blank name', withHours(hours({ name: ' ' })), [`${HOURS}/name invalid_value`]],
    ['an unknown member', withInterval({ break: '12:00' }), [`${INTERVAL}/break unknown_field`]],
    [
      'an interval of nothing',
      withHours(hours({ intervals: [{}] })),
      [`${INTERVAL}/weekdays required`, `${INTERVAL}/start required`, `${INTERVAL}/end required`],
    ],
  ])('with %s are refused at the exact place', (_, document, expected) => {
    expect(problems(document)).toEqual(expected);
  });

  test('named by a deferral or a condition must be sets of the document', () => {
    const condition = { type: 'working_hours', working_hours_id: 'nights', active: true };
    const nodes = [
      defer({ working_hours_id: 'nights' }),
      branch({ conditions: [STANDARD, condition], else: [defer({ working_hours_id: 'Office' })] }),
    ];
    expect(problems(path({ nodes }))).toEqual([
      '/nodes/0/working_hours_id unknown_working_hours',
      '/nodes/1/conditions/1/working_hours_id unknown_working_hours',
      '/nodes/1/else/0/working_hours_id unknown_working_hours',
    ]);
    expect(
      problems(path({ working_hours: undefined, nodes: [defer()] } as unknown as ExactObject)),
    ).toEqual(['/nodes/0/working_hours_id unknown_working_hours']);
  });

  test('that are wrong in themselves are not unknown to those who name them', () => {
    expect(
      problems(path({ working_hours: [hours({ timezone: 'Mars/Olympus' })], nodes: [defer()] })),
    ).toEqual([`${HOURS}/timezone unknown_timezone`]);
  });
});

describe('a deferral', () => {
  test('waits for everybody unless it says otherwise', () => {
    const { standard_only: _, ...bare } = defer();
    const result = parseEscalationPathDocument(withNodes(bare));
    expect(result.ok && result.document.nodes).toEqual([{ ...bare, standard_only: false }]);
  });

  test.each<[string, ExactObject, string[]]>([
    ['no yes or no', { standard_only: 'no' }, ['/nodes/0/standard_only invalid_type']],
    [
      'hours that are no text',
      { working_hours_id: null },
      ['/nodes/0/working_hours_id invalid_type'],
    ],
    ['a wait of its own', { escalate_after: '5m' }, ['/nodes/0/escalate_after unknown_field']],
  ])('with %s is refused', (_, members, expected) => {
    expect(problems(withNodes(defer(members)))).toEqual(expected);
  });
});

/** `depth` branches inside each other, the innermost with these nodes. */
const nested = (depth: number, innermost: readonly ExactValue[]): ExactObject =>
  branch({ then: depth === 1 ? [...innermost] : [nested(depth - 1, innermost)] });

describe('a branch', () => {
  test('comes back whole, an absent side as an empty one', () => {
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
  ])('with %s is refused at the exact place', (_, members, expected) => {
    expect(problems(withNodes(branch(members)))).toEqual(expected);
  });

  test('may have ten conditions', () => {
    expect(
      problems(withNodes(branch({ conditions: Array.from({ length: 10 }, () => STANDARD) }))),
    ).toEqual([]);
  });

  test('shares its node ids with the whole document', () => {
    const one = level();
    const pair = branch({ then: [one], else: [branch({ else: [one] })] });
    expect(problems(withNodes(pair))).toEqual(['/nodes/0/else/0/else/0/id duplicate_id']);
    expect(problems(withNodes(branch({ id: one['id'] ?? null, then: [one] })))).toEqual([
      '/nodes/0/then/0/id duplicate_id',
    ]);
  });

  test('nests 32 levels deep and no deeper, its levels counted as the branches are', () => {
    expect(problems(withNodes(nested(31, [level()])))).toEqual([]);
    expect(problems(withNodes(nested(32, [])))).toEqual([]);
    expect(problems(withNodes(nested(32, [level()])))).toEqual([
      `/nodes/0${'/then/0'.repeat(31)}/then too_deep`,
    ]);
    expect(problems(withNodes(nested(1_000, [level()])))).toEqual([
      `/nodes/0${'/then/0'.repeat(31)}/then too_deep`,
    ]);
  });

  test('counts with all inside it towards the 500 nodes of the document, and one too many is told once', () => {
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
      'of a request by a field nobody knows',
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
  ])('%s is refused at the exact place', (_, condition, expected) => {
    expect(problems(withConditions(condition))).toEqual(expected);
  });

  test('has ids of its own in the whole document, on whichever side of which branch', () => {
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

  test('nests 32 levels and no deeper, wherever its branch is', () => {
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

  test('may be a member, a team and everybody at once, a member and a team even of the same id', () => {
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
  ])('%s is refused at the exact place', (_, document, expected) => {
    expect(problems(document)).toEqual(expected);
  });

  test('is found where it stands, on whichever side of which branch', () => {
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

  test('speaks the grammar of paths, without a name', () => {
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

  test('asks no team, wherever it tries', () => {
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

  test('asks everybody or some, not both at one level', () => {
    const [everybody, somebody]: ExactObject[] = [
      { type: 'broadcast' },
      { type: 'user', id: uuid() },
    ];
    const at = (...targets: (ExactObject | undefined)[]) =>
      level({ targets: targets.flatMap((target) => target ?? []) });
    const nodes = [
      at(everybody),
      at(everybody, somebody),
      branch({ then: [at(somebody, everybody)] }),
      at(everybody, everybody),
    ];
    expect(policyProblems(policy({ nodes }))).toEqual([
      '/nodes/1/targets/0 broadcast_not_alone',
      '/nodes/2/then/0/targets/1 broadcast_not_alone',
      '/nodes/3/targets/0 broadcast_not_alone',
      '/nodes/3/targets/1 duplicate_target',
    ]);
  });
});

test('whatever is accepted is read the same again, and nothing makes the reader throw', () => {
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
