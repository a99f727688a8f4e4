/** What a reviewer should know about a call besides the call: who would read the response, whether it is a demo, and whether it is asked repeatedly. */
import { createHash } from 'node:crypto';
import type { ApprovalRequest } from './approval-requests.ts';

export const REQUESTER_STATES = [
  'active',
  'credential_ended',
  'instance_disabled',
  'agent_disabled',
  'agent_archived',
] as const;
export type RequesterState = (typeof REQUESTER_STATES)[number];

export interface CallMarks {
  readonly requesterState: RequesterState;
  /** Of the demo agent. */
  readonly isDemo: boolean;
  /** For how long the call may start after an approval, in seconds: the agent's setting. */
  readonly approvalWindow: number;
  /** Pending requests that make the same call. A pending request counts itself. */
  readonly identicalPending: number;
  /** When another request with the same call was denied last, within an hour. */
  readonly lastDeniedAt: Date | null;
}

/** Of a request that is gone meanwhile. */
export const NO_MARKS: CallMarks = {
  requesterState: 'active',
  isDemo: false,
  approvalWindow: 300,
  identicalPending: 0,
  lastDeniedAt: null,
};

const WHY_UNREAD: Readonly<Record<Exclude<RequesterState, 'active'>, string>> = {
  credential_ended: 'its credential has ended',
  instance_disabled: 'its instance is disabled',
  agent_disabled: 'it is disabled',
  agent_archived: 'it is archived',
};

/** One line for messages about a request. Undefined while the requester can read the decision. */
export function requesterNotice(state: RequesterState): string | undefined {
  return state === 'active'
    ? undefined
    : `The agent can no longer read the decision: ${WHY_UNREAD[state]}.`;
}

type Call = Pick<ApprovalRequest, 'organizationId' | 'agentSlug' | 'tool' | 'server' | 'arguments'>;

/**
 * Equal for calls with the same agent, tool, server and text of arguments. The same values in another
 * spelling are another call: the comparison of values would need both texts parsed.
 */
export function callDigest(call: Call): Buffer {
  const { organizationId, agentSlug, tool, server = null } = call;
  return createHash('sha256')
    .update(JSON.stringify([organizationId, agentSlug, tool, server]))
    .update(call.arguments.text)
    .digest();
}
