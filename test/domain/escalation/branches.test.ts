/** Which branch a walk takes, and the reason it gives. */
import { describe, expect, test } from '@jest/globals';
import type {
  EscalationDocument,
  LevelNode,
  PathCondition,
} from '../../../src/domain/escalation/types.ts';
import { arrive, startWalk, type WalkInput } from '../../../src/domain/escalation/walk.ts';

const now = new Date('2026-03-02T12:00:00.000Z');
const level = (id: string): LevelNode => ({
  id,
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '10m',
  raise_urgency: false,
});
const when = (id: string): PathCondition => ({
  type: 'request',
  when: { id, field: '/request/tool', operator: 'exists' },
});
const urgent: PathCondition = { type: 'urgency', urgency: 'interrupt' };

function walked(conditions: readonly PathCondition[]) {
  const document: EscalationDocument = {
    working_hours: [],
    nodes: [{ id: 'x', type: 'if_else', conditions, then: [level('a')], else: [level('b')] }],
  };
  const input: WalkInput = {
    document,
    policy: () => {
      throw new Error('the path names no team');
    },
    urgency: 'standard',
    matches: ({ id }) => (id === 'costly' ? 'condition_too_costly' : id === 'yes'),
  };
  const { entry, events } = arrive(input, startWalk(document), now);
  return { level: entry?.nodeId, events };
}

const place = { nodeId: 'x', run: 1, at: now };

describe('an if_else', () => {
  test('takes `then` when all conditions are met', () => {
    expect(walked([when('yes'), when('yes')])).toEqual({
      level: 'a',
      events: [{ kind: 'branch_taken', ...place, branch: 'then', reason: 'conditions_met' }],
    });
  });

  test('takes `else` at the first condition that is not met, and names it', () => {
    expect(walked([when('yes'), urgent, when('costly')])).toEqual({
      level: 'b',
      events: [
        {
          kind: 'branch_taken',
          ...place,
          branch: 'else',
          reason: 'condition_not_met',
          condition: { index: 1, type: 'urgency' },
        },
      ],
    });
  });

  test('takes `else` when a condition cannot be evaluated, and says that it failed', () => {
    expect(walked([when('yes'), when('costly')])).toEqual({
      level: 'b',
      events: [
        { kind: 'condition_failed', ...place, code: 'condition_too_costly' },
        {
          kind: 'branch_taken',
          ...place,
          branch: 'else',
          reason: 'condition_failed',
          condition: { index: 1, type: 'request' },
        },
      ],
    });
  });
});
