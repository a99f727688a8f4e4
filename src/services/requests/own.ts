/** An adapter's reads of its own requests. Requests of other instances do not exist for it. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { readSettled } from '../engine/settle.ts';
import { waitForRequest } from './waiting/wait.ts';

export async function getOwnRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  id: string,
): Promise<ApprovalRequest> {
  return own(principal, await readSettled(context, id));
}

/** Waits until the request is decided or the time is over, and checks the credential again before it returns. */
export async function awaitOwnRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  {
    id,
    ms,
    signal,
    authenticateAgain,
  }: {
    id: string;
    ms: number;
    signal: AbortSignal;
    authenticateAgain: () => Promise<AgentPrincipal>;
  },
): Promise<ApprovalRequest> {
  const wait = waitForRequest(context, id, {
    ms,
    signal,
    caller: principal,
    until: (request) => isOver(principal, request),
  });
  const request = own(principal, await wait);
  return own(await authenticateAgain(), request);
}

/** A foreign request ends the wait at once, so that the 404 has no delay. */
function isOver(principal: AgentPrincipal, request: ApprovalRequest): boolean {
  return request.decision !== undefined || request.agentInstanceId !== principal.instanceId;
}

function own(principal: AgentPrincipal, request: ApprovalRequest | undefined): ApprovalRequest {
  if (request?.agentInstanceId !== principal.instanceId) throw new AppError('not_found');
  return request;
}
