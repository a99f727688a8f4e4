/** Whom a request was routed to: by its pinned path, and by hand. */
import { findAddedReviewers } from '../../data/approval-requests/added-reviewers.ts';
import type { ApprovalRequest } from '../../domain/approval-requests.ts';
import type { Routed } from '../../domain/request-access.ts';
import type { ServiceContext } from '../context.ts';
import { loadEscalationPathRevision } from '../escalation-paths.ts';

export async function readRouted(context: ServiceContext, request: ApprovalRequest): Promise<Routed> {
  const revisionId = request.route?.pathRevisionId;
  if (revisionId === undefined) return { targets: undefined, added: [] };
  const { targets } = await loadEscalationPathRevision(context, revisionId);
  const added = await findAddedReviewers(context.db, request.id);
  return { targets, added: added.map(({ membershipId }) => membershipId) };
}
