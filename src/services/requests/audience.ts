/** The audience of a request: the people on its pinned path, and those added by hand. */
import { findAddedReviewers } from '../../data/requests/added-reviewers.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Audience } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { loadEscalationPathRevision } from '../escalation/escalation-paths.ts';

export async function readAudience(db: Db, request: ApprovalRequest): Promise<Audience> {
  const revisionId = request.route?.pathRevisionId;
  if (revisionId === undefined) return { targets: undefined, added: [] };
  const added = await findAddedReviewers(db, request.id);
  const { targets } = await loadEscalationPathRevision(db, revisionId);
  return { targets, added: added.map(({ membershipId }) => membershipId) };
}
