/** The people a level reaches. */
import { describe, expect, test } from '@jest/globals';
import { recipients, type Reachable } from '../../../src/domain/escalation/recipients.ts';
import type { Target } from '../../../src/domain/escalation/types.ts';

const roster = (ids: readonly string[], policyRevisionId?: string) => ({
  members: ids.map((membershipId) => ({ membershipId, displayName: membershipId })),
  ...(policyRevisionId && { policyRevisionId }),
});
const reachable: Reachable = {
  deciders: ['ada', 'ben', 'cleo', 'dan'],
  teams: new Map([
    ['plain', roster(['zoe', 'ben', 'ada'])],
    ['policed', roster(['cleo', 'zoe'], 'r1')],
    ['unable', roster(['zoe'], 'r2')],
    ['empty', roster([], 'r3')],
  ]),
};
const user = (id: string): Target => ({ type: 'user', id });
const team = (id: string): Target => ({ type: 'team', id });
const broadcast: Target = { type: 'broadcast' };

function asked(targets: readonly Target[], teamId?: string) {
  const level = {
    id: 'n',
    type: 'level',
    targets,
    escalate_after: '1m',
    raise_urgency: false,
  } as const;
  const inside = teamId === undefined ? {} : { team: { teamId, nodeId: 'n', run: 1 } };
  return recipients({ level, nodeId: 'n', run: 1, ...inside }, reachable);
}

describe('a level reaches', () => {
  test('the named people who may decide, in the order of its targets, each once', () => {
    expect(asked([user('dan'), team('plain'), user('zoe'), user('ada')])).toEqual({
      membershipIds: ['dan', 'ben', 'ada'],
      teams: [],
    });
  });

  test('everyone who may decide, by a broadcast', () => {
    expect(asked([user('cleo'), broadcast])).toEqual({
      membershipIds: ['cleo', 'ada', 'ben', 'dan'],
      teams: [],
    });
  });

  test('a team by its active policy, and other targets at once', () => {
    expect(asked([team('policed'), user('ada')])).toEqual({
      membershipIds: ['ada'],
      teams: [{ teamId: 'policed', revisionId: 'r1' }],
    });
  });

  test.each(['unable', 'empty', 'gone'])(
    'no one in a team that is %s: it neither waits for its policy nor broadcasts',
    (id) => {
      expect(asked([team(id)])).toEqual({ membershipIds: [], teams: [] });
    },
  );
});

describe('a level of a policy reaches', () => {
  test('only members of the team, even where it names someone who left it', () => {
    expect(asked([user('ada'), user('cleo')], 'policed').membershipIds).toEqual(['cleo']);
  });

  test('the members who may decide, by a broadcast', () => {
    expect(asked([broadcast], 'policed').membershipIds).toEqual(['cleo']);
    expect(asked([broadcast], 'gone').membershipIds).toEqual([]);
  });
});
