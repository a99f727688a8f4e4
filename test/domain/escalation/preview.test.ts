/** The preview of a path: its steps if no one answers. */
import { describe, expect, test } from '@jest/globals';
import {
  asInTimeline,
  localTimes,
  take,
  walkAhead,
} from '../../../src/domain/escalation/preview.ts';
import { recipients } from '../../../src/domain/escalation/recipients.ts';
import type {
  EscalationDocument,
  EscalationNode,
  LevelNode,
  Target,
} from '../../../src/domain/escalation/types.ts';
import { startWalk, type WalkInput } from '../../../src/domain/escalation/walk.ts';

/** A Friday, 17:00 in Berlin. */
const start = new Date('2026-03-27T16:00:00.000Z');
const office = {
  id: 'office',
  name: 'Office',
  timezone: 'Europe/Berlin',
  intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
} as const;
const level = (
  id: string,
  targets: readonly Target[],
  wait = '1h',
  raise_urgency = false,
): LevelNode => ({
  id,
  type: 'level',
  targets,
  escalate_after: wait,
  raise_urgency,
});
const defer = (id: string, standard_only = false): EscalationNode => ({
  id,
  type: 'defer',
  working_hours_id: 'office',
  standard_only,
});
const ada: Target = { type: 'user', id: 'ada' };
const team: Target = { type: 'team', id: 't' };
const document = (
  nodes: readonly EscalationNode[],
  repeat?: EscalationDocument['repeat'],
): EscalationDocument => ({
  working_hours: [office],
  nodes,
  ...(repeat && { repeat }),
});
const policy = document([level('p1', [ada], '10m'), level('p2', [{ type: 'broadcast' }], '10m')]);

const roster = (members: readonly string[], policyRevisionId?: string) => ({
  members: members.map((membershipId) => ({ membershipId, displayName: membershipId })),
  ...(policyRevisionId !== undefined && { policyRevisionId }),
});
const teams = new Map([
  ['t', roster(['ada', 'ben'], 'r')],
  ['u', roster(['ada', 'ben'], 'r')],
  ['plain', roster(['ben'])],
  ['empty', roster([], 'r')],
]);

function schedule(
  path: EscalationDocument,
  { limit = 50, deciders = ['ada', 'ben'] }: { limit?: number; deciders?: readonly string[] } = {},
) {
  const input: WalkInput = {
    document: path,
    policy: () => policy,
    urgency: 'standard',
    matches: () => false,
  };
  const ahead = walkAhead(input, {
    from: startWalk(path),
    now: start,
    ask: (entry) => recipients(entry, { deciders, teams }),
  });
  const { steps, truncated } = take(asInTimeline(ahead), limit);
  const lines = steps.map((step) => {
    const place = step.team ? `${step.nodeId} > ${step.team.nodeId}` : `${step.nodeId}:${step.run}`;
    return `${step.at.toISOString().slice(5, 16)} ${step.kind} ${place}`;
  });
  return { lines, steps, truncated };
}

describe('the schedule of a path', () => {
  test('waits over a weekend with a clock change, and continues on Monday morning', () => {
    const { steps, lines } = schedule(
      document([level('a', [ada]), defer('d'), level('b', [ada], '30m')]),
    );
    expect(lines).toEqual([
      '03-27T16:00 level_notified a:1',
      '03-27T17:00 deferred d:1',
      '03-30T07:00 level_notified b:1',
      '03-30T07:30 path_exhausted b:1',
    ]);
    expect(steps[0]).toMatchObject({
      targets: [ada],
      membershipIds: ['ada'],
      escalateAt: new Date('2026-03-27T17:00Z'),
    });
    expect(steps[1]).toMatchObject({ targets: [], until: new Date('2026-03-30T07:00Z') });
  });

  test('follows the policies of teams, whose level notifies no one itself without other targets', () => {
    const { steps, lines } = schedule(document([level('a', [team], '15m'), level('b', [ada])]));
    expect(lines).toEqual([
      '03-27T16:00 level_notified a > p1',
      '03-27T16:10 level_notified a > p2',
      '03-27T16:15 level_notified b:1',
      '03-27T17:15 path_exhausted b:1',
    ]);
    expect(steps.slice(0, 2).map(({ targets }) => targets)).toEqual([
      [ada],
      [{ type: 'broadcast' }],
    ]);
  });

  test('leaves out what a policy would do at the very end of its level', () => {
    expect(schedule(document([level('a', [team], '10m')])).lines).toEqual([
      '03-27T16:00 level_notified a > p1',
      '03-27T16:10 path_exhausted a:1',
    ]);
  });

  test('notifies people once when two steps of a level name them at the same instant', () => {
    const both = document([level('a', [ada, team, { type: 'team', id: 'u' }], '5m')]);
    expect(schedule(both).lines).toEqual([
      '03-27T16:00 level_notified a:1',
      '03-27T16:05 path_exhausted a:1',
    ]);
  });

  test('skips levels without people who may decide, with the reason', () => {
    const path = document([
      level('a', [{ type: 'team', id: 'empty' }]),
      level('b', [ada]),
      level('c', [team]),
    ]);
    const { lines, steps } = schedule(path, { deciders: ['ben'] });
    expect(lines).toEqual([
      '03-27T16:00 level_skipped a:1',
      '03-27T16:00 level_skipped b:1',
      '03-27T16:00 level_skipped c > p1',
      '03-27T16:00 level_notified c > p2',
      '03-27T16:10 path_exhausted c > p2',
      '03-27T17:00 path_exhausted c:1',
    ]);
    expect(steps[0]).toMatchObject({ reason: 'nobody_to_ask' });
  });

  test('says which branch it takes', () => {
    const branch: EscalationNode = {
      id: 'x',
      type: 'if_else',
      conditions: [{ type: 'urgency', urgency: 'standard' }],
      then: [level('a', [ada])],
      else: [],
    };
    expect(schedule(document([branch])).lines).toEqual([
      '03-27T16:00 branch_taken x:1',
      '03-27T16:00 level_notified a:1',
      '03-27T17:00 path_exhausted a:1',
    ]);
  });

  test('passes a deferral after a raised urgency', () => {
    const urgent = schedule(
      document([level('a', [ada], '1h', true), defer('d', true), level('b', [ada])]),
    );
    expect(urgent.lines.slice(0, 3)).toEqual([
      '03-27T16:00 urgency_raised a:1',
      '03-27T16:00 level_notified a:1',
      '03-27T17:00 level_notified b:1',
    ]);
  });

  test('is truncated at its limit, and says so', () => {
    const path = document([level('a', [ada], '1m')], { times: 9, after: '1m' });
    const sizes = [3, 20, 50]
      .map((limit) => schedule(path, { limit }))
      .map(({ lines, truncated }) => [lines.length, truncated]);
    // Ten levels, nine repeats and the end.
    expect(sizes).toEqual([
      [3, true],
      [20, false],
      [20, false],
    ]);
  });

  test('has local times in each zone of its working hours, each zone once', () => {
    const twice = {
      ...document([]),
      working_hours: [
        office,
        { ...office, id: 'other' },
        { ...office, id: 'k', timezone: 'Asia/Kathmandu' },
      ],
    };
    expect(localTimes(twice, new Date('2026-03-30T07:00Z'))).toEqual([
      { timezone: 'Europe/Berlin', at: '2026-03-30T09:00:00.000+02:00' },
      { timezone: 'Asia/Kathmandu', at: '2026-03-30T12:45:00.000+05:45' },
    ]);
  });
});
