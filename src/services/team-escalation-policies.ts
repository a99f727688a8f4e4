/** Escalation policies of teams: in which order a team is asked when a path reaches it. */
import type { TeamPolicyDocument } from '../domain/escalation-paths/types.ts';
import { findRevisionById } from '../data/revisions.ts';
import { teamPolicyTables } from '../data/team-escalation-policies.ts';
import { parseExact } from '../platform/exact-json.ts';
import { revisionCache } from './revisions.ts';

/** What a revision keeps was checked when it was created; later rules do not apply to it. */
function storedPolicy(text: string): TeamPolicyDocument {
  return parseExact(text) as unknown as TeamPolicyDocument;
}

/** The policy a walk inside a level is pinned to. Throws when there is none of that id: a stored walk always names an existing one. */
export const loadTeamPolicyRevision = revisionCache<TeamPolicyDocument>(async (context, revisionId) => {
  const revision = await findRevisionById(context.db, revisionId, teamPolicyTables);
  if (!revision) throw new Error(`team policy revision ${revisionId} is missing`);
  return { value: storedPolicy(revision.document), size: revision.document.length };
});
