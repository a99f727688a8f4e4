/** An adapter's reads of its own requests, and its waits for them. Others' requests do not exist for it. */
import { listOpenRequests } from '../../data/requests/open.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import { isOwn } from '../../domain/requests/own-requests.ts';
import { AppError } from '../../domain/errors.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { WaitingContext } from '../context.ts';
import { readSettled } from '../engine/settle.ts';
import { createRequest, type CreateCall, type CreateOutcome } from './creation/create.ts';
import { waitForAny, waitForRequest } from './waiting/wait.ts';

/** How a caller waits. The credential is checked again before the response. */
export interface Waiting {
  /** Milliseconds at most. */
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly authenticateAgain: () => Promise<AgentPrincipal>;
}

/** Creates a request, and then waits for its decision for the rest of the time. Throws what `createRequest` throws. */
export async function createAndAwait(
  context: WaitingContext,
  principal: AgentPrincipal,
  call: CreateCall & { readonly waiting: Waiting },
): Promise<CreateOutcome> {
  const began = performance.now();
  const { request, created } = await createRequest(context, principal, call);
  const ms = call.waiting.ms - (performance.now() - began);
  if (request.decision || ms <= 0) return { request, created };
  const { id } = request;
  const waited = await awaitOwnRequest(context, principal, { id, ...call.waiting, ms });
  return { request: waited, created };
}

export async function getOwnRequest(
  context: WaitingContext,
  principal: AgentPrincipal,
  id: string,
): Promise<ApprovalRequest> {
  return own(principal, await readSettled(context, id));
}

/** Waits until the request is decided or the time is over. */
export async function awaitOwnRequest(
  context: WaitingContext,
  principal: AgentPrincipal,
  { id, ms, signal, authenticateAgain }: Waiting & { readonly id: string },
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
  return request.decision !== undefined || !isOwn(principal, request);
}

function own(principal: AgentPrincipal, request: ApprovalRequest | undefined): ApprovalRequest {
  if (!request || !isOwn(principal, request)) throw new AppError('not_found');
  return request;
}

/** Most requests in the list of an instance. */
export const LISTED_AT_MOST = 200;

/**
 * The newest open requests that the instance made. With `waiting`, once one of them is decided, or when the time
 * is over. An empty list is returned at once.
 */
export async function listOwnOpen(
  context: WaitingContext,
  principal: AgentPrincipal,
  waiting: Waiting | undefined,
): Promise<LongList<ApprovalRequest>> {
  const { ids, requests } = await readOpen(context, principal);
  if (!waiting || ids.length === 0) return requests;
  const { ms, signal, authenticateAgain } = waiting;
  await waitForAny(context, ids, { ms, signal, caller: principal });
  return (await readOpen(context, await authenticateAgain())).requests;
}

/** Expires first what is due. */
async function readOpen(context: WaitingContext, principal: AgentPrincipal) {
  for (;;) {
    const open = await listOpenRequests(context.db, principal, LISTED_AT_MOST);
    if (open.pastDeadline.length === 0) return open;
    for (const id of open.pastDeadline) await readSettled(context, id);
  }
}
