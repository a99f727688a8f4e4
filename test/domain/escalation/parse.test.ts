/** Parsing path documents: which are accepted, and the pointers of all others. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseEscalationPathDocument } from '../../../src/domain/escalation/parse.ts';
import { pathTargets } from '../../../src/domain/escalation/types.ts';
import { KEY_PATTERN } from '../../../src/domain/keys.ts';
import { ExactNumber } from '../../../src/platform/json/exact-values.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/json/exact-values.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
const broadcast: ExactObject = { type: 'broadcast' };
const user = (n: number): ExactObject => ({ type: 'user', id: uuid(n) });
const level = (n: number, members: ExactObject = {}): ExactObject => ({
  id: uuid(n),
  type: 'level',
  targets: [broadcast],
  escalate_after: '15m',
  raise_urgency: false,
  ...members,
});
const path = (members: ExactObject = {}): ExactObject => ({
  name: 'Payments',
  nodes: [level(1)],
  ...members,
});
const hours: ExactObject = {
  id: 'office',
  name: 'Office',
  timezone: 'UTC',
  intervals: [{ weekdays: ['mon'], start: '09:00', end: '17:00' }],
};

/** The problems found, as `pointer code`. */
function problems(value: ExactValue): string[] {
  const result = parseEscalationPathDocument(value);
  return result.ok ? [] : result.issues.map((issue) => `${issue.pointer} ${issue.code}`);
}

describe('a valid document', () => {
  test('comes back whole, with an empty list for absent working hours', () => {
    const nodes = [level(1, { targets: [user(1), user(2)] }), level(2, { escalate_after: '168h' })];
    const expected = {
      name: 'Payments',
      working_hours: [],
      nodes,
      repeat: { times: 9, after: '1m' },
    };
    expect(parseEscalationPathDocument(path({ nodes, repeat: { times: 9, after: '1m' } }))).toEqual(
      { ok: true, document: expected },
    );
    expect(
      parseEscalationPathDocument(
        path({ nodes, working_hours: [], repeat: { times: 9, after: '1m' } }),
      ),
    ).toEqual({
      ok: true,
      document: expected,
    });
  });

  test('without a repeat comes back without it', () => {
    const result = parseEscalationPathDocument(path());
    expect(result.ok && Object.keys(result.document)).toEqual(['name', 'working_hours', 'nodes']);
  });

  test('comes back with its UUIDs in lower case, so that they compare as text', () => {
    const shouted = 'ABCDEF00-0000-4000-8000-00000000000A';
    const result = parseEscalationPathDocument(
      path({ nodes: [level(1, { id: shouted, targets: [{ type: 'user', id: shouted }] })] }),
    );
    const quiet = shouted.toLowerCase();
    expect(result.ok && result.document.nodes[0]).toMatchObject({
      id: quiet,
      targets: [{ type: 'user', id: quiet }],
    });
  });

  test.each([
    ['500 levels', path({ nodes: Array.from({ length: 500 }, (_, n) => level(n)) })],
    [
      '100 targets',
      path({ nodes: [level(1, { targets: Array.from({ length: 100 }, (_, n) => user(n)) })] }),
    ],
    ['a name of 200 characters outside the basic plane', path({ name: '🦜'.repeat(200) })],
    ['a name with an emoji in its coloured form', path({ name: 'On call \u2764\ufe0f' })],
    ['the same target on two levels', path({ nodes: [level(1), level(2)] })],
    [
      'waits of one minute in seconds and a week in seconds',
      path({
        nodes: [level(1, { escalate_after: '60s' })],
        repeat: { times: 1, after: '604800s' },
      }),
    ],
  ])('may have %s', (_, document) => {
    expect(problems(document)).toEqual([]);
  });
});

describe('an invalid document', () => {
  test.each<[string, ExactValue, string[]]>([
    ['no object', [], [' invalid_type']],
    ['null', null, [' invalid_type']],
    ['a number no double can hold', new ExactNumber('9007199254740993'), [' invalid_type']],
    ['nothing in it', {}, ['/name required', '/nodes required']],
    ['an unknown member', path({ 'a/b~c': 1 }), ['/a~1b~0c unknown_field']],
    [
      'a member named __proto__',
      Object.assign(Object.create(null), path(), { ['__proto__']: 1 }),
      ['/__proto__ unknown_field'],
    ],
    ['the key of its path', path({ path_key: 'payments' }), ['/path_key unknown_field']],
    ['a name that is no text', path({ name: 1 }), ['/name invalid_type']],
    ['an empty name', path({ name: '' }), ['/name invalid_value']],
    ['a blank name', path({ name: '  ' }), ['/name invalid_value']],
    ['a name of 201 characters', path({ name: 'x'.repeat(201) }), ['/name invalid_value']],
    ['a name with NUL', path({ name: 'a\0' }), ['/name invalid_value']],
    ['a name of invisible characters', path({ name: '\u200b\u2800' }), ['/name invalid_value']],
    ['a name of two lines', path({ name: 'a\nb' }), ['/name invalid_value']],
    [
      'a name that changes the direction of writing',
      path({ name: 'Payments \u202eNWOD' }),
      ['/name invalid_value'],
    ],
    [
      'working hours with such names',
      path({
        working_hours: ['a\tb', '\u2066Office', '\u00a0'].map((name, n) => ({
          ...hours,
          id: String(n),
          name,
        })),
      }),
      [
        '/working_hours/0/name invalid_value',
        '/working_hours/1/name invalid_value',
        '/working_hours/2/name invalid_value',
      ],
    ],
    ['a name with a lone surrogate', path({ name: '\ud800' }), ['/name invalid_value']],
    [
      'working hours without all that makes them',
      path({ working_hours: [{ id: 'office' }] }),
      [
        '/working_hours/0/name required',
        '/working_hours/0/timezone required',
        '/working_hours/0/intervals required',
      ],
    ],
    [
      'working hours that are no list',
      path({ working_hours: null }),
      ['/working_hours invalid_type'],
    ],
    ['nodes that are no list', path({ nodes: {} }), ['/nodes invalid_type']],
    ['no nodes', path({ nodes: [] }), ['/nodes invalid_value']],
    [
      '501 nodes',
      path({ nodes: Array.from({ length: 501 }, (_, n) => level(n)) }),
      ['/nodes too_many'],
    ],
    ['a node that is no object', path({ nodes: [level(1), 'level'] }), ['/nodes/1 invalid_type']],
    ['a node without type', path({ nodes: [{ id: uuid(1) }] }), ['/nodes/0/type required']],
    ['a node type that is no text', path({ nodes: [{ type: 1 }] }), ['/nodes/0/type invalid_type']],
    [
      'an if_else node without conditions',
      path({ nodes: [level(1), { id: uuid(2), type: 'if_else', conditions: [] }] }),
      ['/nodes/1/conditions invalid_value'],
    ],
    [
      'a defer node of nothing',
      path({ nodes: [{ type: 'defer' }] }),
      ['/nodes/0/id required', '/nodes/0/working_hours_id required'],
    ],
    [
      'a node type named like a member of every object',
      path({ nodes: [{ type: 'constructor' }] }),
      ['/nodes/0/type unknown_node_type'],
    ],
    [
      'an urgency that is no yes or no',
      path({ nodes: [level(1, { raise_urgency: 'yes' })] }),
      ['/nodes/0/raise_urgency invalid_type'],
    ],
    [
      'an empty level',
      path({ nodes: [{ type: 'level' }] }),
      ['/nodes/0/id required', '/nodes/0/targets required', '/nodes/0/escalate_after required'],
    ],
    [
      'a node id that is no UUID',
      path({ nodes: [level(1, { id: 'first' })] }),
      ['/nodes/0/id invalid_value'],
    ],
    [
      'a node id used twice',
      path({ nodes: [level(1), level(2), level(1)] }),
      ['/nodes/2/id duplicate_id'],
    ],
    [
      'a node id used twice in other case',
      path({ nodes: [level(1, { id: uuid(10) }), level(1, { id: uuid(10).toUpperCase() })] }),
      ['/nodes/1/id duplicate_id'],
    ],
    [
      'no targets',
      path({ nodes: [level(1, { targets: [] })] }),
      ['/nodes/0/targets invalid_value'],
    ],
    [
      '101 targets',
      path({ nodes: [level(1, { targets: Array.from({ length: 101 }, (_, n) => user(n)) })] }),
      ['/nodes/0/targets too_many'],
    ],
    [
      'a target that is no object',
      path({ nodes: [level(1, { targets: [null] })] }),
      ['/nodes/0/targets/0 invalid_type'],
    ],
    [
      'a target without type',
      path({ nodes: [level(1, { targets: [{}] })] }),
      ['/nodes/0/targets/0/type required'],
    ],
    [
      'a user without id',
      path({ nodes: [level(1, { targets: [{ type: 'user' }] })] }),
      ['/nodes/0/targets/0/id required'],
    ],
    [
      'a user whose id is no UUID',
      path({ nodes: [level(1, { targets: [{ type: 'user', id: 'ada' }] })] }),
      ['/nodes/0/targets/0/id invalid_value'],
    ],
    [
      'a broadcast with an id',
      path({ nodes: [level(1, { targets: [{ type: 'broadcast', id: uuid(1) }] })] }),
      ['/nodes/0/targets/0/id unknown_field'],
    ],
    [
      'a user twice on one level',
      path({ nodes: [level(1, { targets: [user(1), user(2), user(1)] })] }),
      ['/nodes/0/targets/2 duplicate_target'],
    ],
    [
      'two broadcasts on one level',
      path({ nodes: [level(1, { targets: [broadcast, broadcast] })] }),
      ['/nodes/0/targets/1 duplicate_target'],
    ],
    [
      'a wait in days',
      path({ nodes: [level(1, { escalate_after: '1d' })] }),
      ['/nodes/0/escalate_after invalid_value'],
    ],
    [
      'a wait that is a number',
      path({ nodes: [level(1, { escalate_after: 60 })] }),
      ['/nodes/0/escalate_after invalid_type'],
    ],
    [
      'a wait under a minute',
      path({ nodes: [level(1, { escalate_after: '59s' })] }),
      ['/nodes/0/escalate_after invalid_value'],
    ],
    [
      'a wait over a week',
      path({ nodes: [level(1, { escalate_after: '604801s' })] }),
      ['/nodes/0/escalate_after invalid_value'],
    ],
    [
      'a wait beyond all counting',
      path({ nodes: [level(1, { escalate_after: `9${'0'.repeat(400)}h` })] }),
      ['/nodes/0/escalate_after invalid_value'],
    ],
    ['a repeat of null', path({ repeat: null }), ['/repeat invalid_type']],
    ['an empty repeat', path({ repeat: {} }), ['/repeat/times required', '/repeat/after required']],
    [
      'an unknown member of repeat',
      path({ repeat: { times: 1, after: '1m', every: '1m' } }),
      ['/repeat/every unknown_field'],
    ],
    ['no repeats', path({ repeat: { times: 0, after: '1m' } }), ['/repeat/times invalid_value']],
    ['ten repeats', path({ repeat: { times: 10, after: '1m' } }), ['/repeat/times invalid_value']],
    [
      'half a repeat',
      path({ repeat: { times: 1.5, after: '1m' } }),
      ['/repeat/times invalid_value'],
    ],
    [
      'almost one repeat',
      path({ repeat: { times: new ExactNumber('1.00000000000000000001'), after: '1m' } }),
      ['/repeat/times invalid_value'],
    ],
    [
      'repeats as text',
      path({ repeat: { times: '3', after: '1m' } }),
      ['/repeat/times invalid_type'],
    ],
    [
      'a repeat too soon',
      path({ repeat: { times: 1, after: '1s' } }),
      ['/repeat/after invalid_value'],
    ],
  ])('with %s is refused with a pointer', (_, document, expected) => {
    expect(problems(document)).toEqual(expected);
  });

  test('reports every problem at once', () => {
    const nodes = [
      level(1, { escalate_after: '1s' }),
      { type: 'defer' },
      level(3, { targets: [user(1), user(1)], note: 'x' }),
    ];
    expect(problems(path({ name: '', nodes, repeat: { times: 0, after: '' } }))).toEqual([
      '/name invalid_value',
      '/nodes/0/escalate_after invalid_value',
      '/nodes/1/id required',
      '/nodes/1/working_hours_id required',
      '/nodes/2/note unknown_field',
      '/nodes/2/targets/1 duplicate_target',
      '/repeat/times invalid_value',
      '/repeat/after invalid_value',
    ]);
  });

  test('reports at most 100 problems', () => {
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`m${n}`, 1]));
    expect(problems(path(members))).toHaveLength(100);
  });

  test('never throws, and every accepted document parses to itself', () => {
    const anything = fc.jsonValue().map((value) => value as ExactValue);
    const nodes = fc
      .array(
        fc.integer({ min: 1, max: 5 }).map((n) => level(n)),
        { maxLength: 3 },
      )
      .map((list): ExactValue => list);
    const repeat = fc
      .record({ times: fc.integer({ min: 0, max: 10 }), after: fc.constantFrom('1m', '1s', '2h') })
      .map((each): ExactValue => each);
    const almost = fc
      .record({ name: fc.string(), nodes: fc.oneof(anything, nodes), repeat }, { requiredKeys: [] })
      .map((each) => path(each));
    fc.assert(
      fc.property(fc.oneof(anything, almost), (value) => {
        const result = parseEscalationPathDocument(value);
        if (!result.ok) expect(result.issues.length).toBeGreaterThan(0);
        else
          expect(parseEscalationPathDocument(JSON.parse(JSON.stringify(result.document)))).toEqual(
            result,
          );
      }),
    );
  });
});

describe('the targets of a path', () => {
  test('are distinct, in document order', () => {
    const result = parseEscalationPathDocument(
      path({
        nodes: [
          level(1, { targets: [user(2), user(1)] }),
          level(2, { targets: [broadcast, user(2)] }),
          level(3, { targets: [user(3)] }),
        ],
      }),
    );
    expect(result.ok && pathTargets(result.document)).toEqual([
      user(2),
      user(1),
      broadcast,
      user(3),
    ]);
  });
});

describe('a path key', () => {
  test.each(['payments', 'a', '0', 'eu.west-1_payments', 'x'.repeat(63)])('may be %s', (key) => {
    expect(KEY_PATTERN.test(key)).toBe(true);
  });
  test.each(['', '.', '..', '-a', 'Payments', 'a/b', 'ä', 'a\n', 'x'.repeat(64)])(
    'may not be %j',
    (key) => {
      expect(KEY_PATTERN.test(key)).toBe(false);
    },
  );
});
