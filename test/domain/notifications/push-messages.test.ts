import { expect, test } from '@jest/globals';
import { askingMessage } from '../../../src/domain/notifications/push-subscriptions.ts';
import type { ApprovalRequest } from '../../../src/domain/requests/approval-requests.ts';

const at = new Date('2026-03-02T09:00:00.000Z');
const request = {
  ...{ id: '0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21', tool: 'refund', agentName: 'Bot' },
  ...{ urgency: 'standard', deadlineAt: new Date('2026-03-02T10:00:00.000Z') },
} as ApprovalRequest;

test('a push message says when the agent can no longer read the decision, and nothing else beside its title', () => {
  const payloadOf = (requesterState: 'active' | 'instance_disabled'): unknown =>
    JSON.parse(askingMessage({ request, requesterState, url: 'https://u' }, at).payload);
  const asked = {
    request_id: request.id,
    title: 'Approval needed: refund (Bot)',
    url: 'https://u',
  };
  expect(payloadOf('active')).toEqual(asked);
  expect(payloadOf('instance_disabled')).toEqual({
    ...asked,
    body: 'The agent can no longer read the decision: its instance is disabled.',
  });
});
