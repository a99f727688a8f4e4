/** When the last level of a document begins, and which levels are too short for a team's policy. */
import { expect, test } from '@jest/globals';
import { lastLevelAt, levelsTooShort } from '../../../src/domain/escalation/policy-length.ts';
import type { EscalationDocument, EscalationNode } from '../../../src/domain/escalation/types.ts';

const MINUTE = 60_000;
let nodes = 0;
const level = (escalate_after: string, targets: readonly object[] = [{ type: 'broadcast' }]) =>
  ({ id: `n${(nodes += 1)}`, type: 'level', targets, escalate_after }) as unknown as EscalationNode;
const branch = (then: readonly EscalationNode[], otherwise: readonly EscalationNode[]) =>
  ({
    id: `n${(nodes += 1)}`,
    type: 'if_else',
    conditions: [],
    then,
    else: otherwise,
  }) as unknown as EscalationNode;
const defer = { id: 'd', type: 'defer', working_hours_id: 'h', standard_only: false } as const;
const document = (list: readonly EscalationNode[], repeat?: object): EscalationDocument =>
  ({ nodes: list, working_hours: [], ...(repeat && { repeat }) }) as unknown as EscalationDocument;

test('the last level begins after the waits before it, on the longest branch, in the last run', () => {
  expect(lastLevelAt(document([]))).toBeUndefined();
  expect(lastLevelAt(document([defer]))).toBeUndefined();
  expect(lastLevelAt(document([level('5m')]))).toBe(0);
  expect(lastLevelAt(document([level('5m'), defer, level('10m')]))).toBe(5 * MINUTE);
  const branched = [level('5m'), branch([level('1m')], [level('20m'), level('2m')]), level('1m')];
  expect(lastLevelAt(document(branched))).toBe(27 * MINUTE);
  expect(lastLevelAt(document([level('5m'), branch([level('3m')], [])]))).toBe(5 * MINUTE);
  const repeated = document([level('5m'), level('10m')], { times: 2, after: '15m' });
  expect(lastLevelAt(repeated)).toBe((2 * 30 + 5) * MINUTE);
});

test('a level is too short when it ends before the policy begins its last level, or at that instant', () => {
  const team = [{ type: 'team', id: 't' }];
  const policy = document([level('5m'), level('10m')]);
  const [short, exact, enough] = [level('4m', team), level('5m', team), level('6m', team)];
  const other = level('1m', [{ type: 'team', id: 'other' }]);
  const path = document([short, branch([exact], [enough]), other]);
  expect(levelsTooShort(path, { teamId: 't', policy })).toEqual([short, exact]);
  expect(levelsTooShort(path, { teamId: 't', policy: document([]) })).toEqual([]);
});
