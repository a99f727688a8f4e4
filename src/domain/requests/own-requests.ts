/** Which requests an adapter may read, wait for, start and withdraw. */
import type { AgentPrincipal } from '../people/authorization.ts';
import type { ApprovalRequest } from './approval-requests.ts';

/** The instance that made it; with the agent's setting `resume: agent`, any active instance of the agent. */
export function isOwn(
  { organizationId, agentSlug, instanceId, resume }: AgentPrincipal,
  request: Pick<ApprovalRequest, 'organizationId' | 'agentSlug' | 'agentInstanceId'>,
): boolean {
  if (request.agentInstanceId === instanceId) return true;
  return (
    resume === 'agent' &&
    request.organizationId === organizationId &&
    request.agentSlug === agentSlug
  );
}

/** What the timeline says about the instance that acts, and about the one that asked, where that is another. */
export function actingInstance(
  { instanceId, instanceName }: AgentPrincipal,
  { agentInstanceId, agentInstanceName }: ApprovalRequest,
): Readonly<Record<string, unknown>> {
  return {
    agent_instance_id: instanceId,
    agent_instance_name: instanceName,
    ...(agentInstanceId !== instanceId && {
      requested_by_instance_id: agentInstanceId,
      requested_by_instance_name: agentInstanceName,
    }),
  };
}
