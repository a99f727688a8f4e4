/** The reviewer's reads: the queue and one request, limited to what the caller may see. */
import { listQueue, type QueueFilter, type QueuePosition } from '../../data/requests/queue/list.ts';
import type { QueueReader, QueueScope } from '../../data/requests/queue/access.ts';
import { findCallMarks } from '../../data/requests/queue/call-marks.ts';
import { findPresentations } from '../../data/agents/tool-presentations.ts';
import type { OwnPresentation, Presentation } from '../../domain/agents/tool-presentations.ts';
import type { HiddenNames } from '../../domain/shown/hidden-names.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { NO_MARKS, type CallMarks } from '../../domain/requests/call-marks.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  abilitiesOf,
  listAccess,
  maySee,
  type Audience,
  type RequestAbilities,
} from '../../domain/requests/request-access.ts';
import type { LongList } from '../../platform/long-list.ts';
import { presentationOf, viewOf } from '../agents/tool-presentations.ts';
import type { ServiceContext, WaitingContext } from '../context.ts';
import { readAudience } from './audience.ts';
import { requireForAgent } from '../../domain/requests/agent-permission.ts';
import { readSettled } from '../engine/settle.ts';
import { waitForRequest } from './waiting/wait.ts';

/** A request, and how the calls of its tool are shown. */
export interface ShownRequest {
  readonly request: ApprovalRequest;
  readonly presentation: Presentation | undefined;
}

/** With what a reviewer should know about the call. */
export interface MarkedRequest extends ShownRequest {
  readonly marks: CallMarks;
}

/** One request, and what the caller can do to it. */
export interface RequestDetail extends MarkedRequest {
  readonly abilities: RequestAbilities;
  readonly hiddenNames: HiddenNames;
}

/** A key sees all that its member may see. The scope is for people who look at their own queue. */
export function readerOf(principal: ProductPrincipal, scope: QueueScope): QueueReader {
  const isSession = principal.kind === 'member' && principal.via.kind === 'session';
  return { scope: isSession ? scope : 'visible', access: listAccess(principal) };
}

export type RequestFilter = Omit<QueueFilter, 'access'>;
export type RequestPosition = QueuePosition;

export interface RequestPage {
  readonly requests: LongList<MarkedRequest>;
  readonly next: RequestPosition | undefined;
}

export async function listRequests(
  context: ServiceContext,
  principal: ProductPrincipal,
  filter: RequestFilter,
): Promise<RequestPage> {
  const page = await listQueue(context.db, principal.organizationId, {
    ...filter,
    ...readerOf(principal, filter.scope),
  });
  const [own, marks] = await Promise.all([
    presentationsById(context, principal, page.presentationIds),
    findCallMarks(context.db, page.ids),
  ]);
  const requests = await page.entries.map(({ request, presentationId }) => ({
    request,
    marks: marks.get(request.id) ?? NO_MARKS,
    presentation: presentationOf(request, presentationId ? own.get(presentationId) : undefined),
  }));
  return { requests, next: page.next };
}

export async function presentationsById(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OwnPresentation>> {
  if (ids.length === 0) return new Map();
  const found = await findPresentations(db, organizationId, ids);
  return new Map(found.map((each) => [each.id, each]));
}

/** Throws `not_found` outside the organization, and 403 when the reviewer may not see it. */
export async function getRequest(
  context: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<RequestDetail> {
  const request = await readSettled(context, id);
  if (request?.organizationId !== principal.organizationId) throw new AppError('not_found');
  return await detailOf(context, principal, request);
}

async function detailOf(
  context: ServiceContext,
  principal: ProductPrincipal,
  request: ApprovalRequest,
): Promise<RequestDetail> {
  const [view, audience, marks] = await Promise.all([
    viewOf(context, request),
    refuseUnlessVisible(context, principal, request),
    findCallMarks(context.db, [request.id]),
  ]);
  const about = { request, ...view, marks: marks.get(request.id) ?? NO_MARKS };
  return { ...about, abilities: abilitiesOf({ principal, request, audience }) };
}

/**
 * Throws `permission_denied` without `request.read` for the agent, else `request_not_routed`. Check again after a wait:
 * only the pipeline's conclusion says who is asked. Returns the audience.
 */
async function refuseUnlessVisible(
  context: ServiceContext,
  principal: ProductPrincipal,
  request: ApprovalRequest,
): Promise<Audience> {
  const audience = await readAudience(context.db, request);
  refuseOutside(audience, { principal, request });
  return audience;
}

/** The same, for an audience that was read. */
export function refuseOutside(
  audience: Audience,
  {
    principal,
    request,
  }: { readonly principal: ProductPrincipal; readonly request: ApprovalRequest },
): void {
  if (maySee(principal, request, audience)) return;
  requireForAgent(principal, 'request.read', request.agentSlug);
  throw new AppError('request_not_routed');
}

/**
 * Waits until the request is settled, has changed since `since`, or the time is over. Visibility is checked before and, with
 * the rights at that time, after.
 */
export async function awaitRequest(
  context: WaitingContext,
  principal: ProductPrincipal,
  {
    id,
    ms,
    since,
    signal,
    authenticateAgain,
  }: {
    id: string;
    ms: number;
    since: Date | undefined;
    signal: AbortSignal;
    authenticateAgain: () => Promise<ProductPrincipal>;
  },
): Promise<RequestDetail> {
  await getRequest(context, principal, id);
  const request = await waitForRequest(context, id, { ms, since, signal, caller: principal });
  const now = await authenticateAgain();
  if (!request) throw new AppError('not_found');
  return await detailOf(context, now, request);
}
