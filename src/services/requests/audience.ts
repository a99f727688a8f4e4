/** The audience of a request: the people on its pinned path, and those added by hand. */
import { findAddedReviewers } from '../../data/requests/added-reviewers.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { TeamRoster } from '../../domain/escalation/recipients.ts';
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

/** The teams that a path targets. */
export function namedTeams({ targets = [] }: Pick<Audience, 'targets'>): readonly string[] {
  return targets.flatMap((target) => (target.type === 'team' ? [target.id] : []));
}

/** The teams of the rosters (live teams only) that a member belongs to. */
export function teamsOf(
  membershipId: string,
  rosters: ReadonlyMap<string, TeamRoster>,
): readonly string[] {
  return [...rosters].flatMap(([teamId, { members }]) =>
    members.some((each) => each.membershipId === membershipId) ? [teamId] : [],
  );
}
