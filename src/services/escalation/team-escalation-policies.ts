/** Escalation policies of teams: the order in which a path asks the members of a team. */
import type { Revision } from '../../domain/revisions.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import { parseTeamPolicyDocument } from '../../domain/escalation/parse.ts';
import {
  locateLevels,
  pathTargets,
  type EscalationDocument,
  type TeamPolicyDocument,
} from '../../domain/escalation/types.ts';
import { lockOrganization } from '../../data/organization/organizations.ts';
import { findRevisionById } from '../../data/revisions.ts';
import {
  findTeamRosters,
  insertPolicyTargets,
  teamPolicyTables,
} from '../../data/escalation/team-escalation-policies.ts';
import { findTeam, lockTeam } from '../../data/people/teams.ts';
import { parseExact, stringifyExact, type ExactValue } from '../../platform/exact-json.ts';
import type { Db } from '../../platform/postgres.ts';
import { findWarnings, type EscalationWarning } from './escalation-warnings.ts';
import { revisionCache, type RevisionedKind } from '../revisions.ts';

export interface TeamPolicyRevision {
  readonly id: string;
  readonly teamId: string;
  readonly revision: number;
  readonly isActive: boolean;
  readonly document: TeamPolicyDocument;
  readonly createdByActorId: string;
  readonly createdAt: Date;
  readonly warnings: readonly EscalationWarning[];
}

/** A stored revision was checked on creation. Later rules do not apply to it. */
function storedPolicy(text: string): TeamPolicyDocument {
  return parseExact(text) as unknown as TeamPolicyDocument;
}

function parseBody(body: ExactValue): TeamPolicyDocument {
  const parsed = parseTeamPolicyDocument(body);
  if (!parsed.ok) throw invalid(parsed.issues);
  return parsed.document;
}

function namedMembers(document: EscalationDocument): string[] {
  return pathTargets(document).flatMap((target) => (target.type === 'user' ? [target.id] : []));
}

/** The members of the team who were not removed from the organization, suspended or not. */
async function membersOf(
  trx: Db,
  organizationId: string,
  teamId: string,
): Promise<ReadonlySet<string>> {
  const roster = (await findTeamRosters(trx, organizationId, [teamId])).get(teamId);
  return new Set(roster?.members.map(({ membershipId }) => membershipId));
}

async function checkTargets(
  trx: Db,
  organizationId: string,
  { documentKey: teamId, document }: { documentKey: string; document: TeamPolicyDocument },
): Promise<void> {
  const members = await membersOf(trx, organizationId, teamId);
  const issues = locateLevels(document).flatMap(({ level, pointer }) =>
    level.targets.flatMap((target, index): Issue[] =>
      target.type === 'user' && !members.has(target.id)
        ? [
            {
              pointer: `${pointer}/targets/${index}/id`,
              code: 'unknown_target',
              message: 'is not a member of the team',
            },
          ]
        : [],
    ),
  );
  if (issues.length > 0) throw invalid(issues);
}

/** People who left the team after the revision was created must not come back by activating it. */
async function checkTargetsThere(
  trx: Db,
  organizationId: string,
  revision: Revision,
): Promise<void> {
  const members = await membersOf(trx, organizationId, revision.documentKey);
  const gone = namedMembers(storedPolicy(revision.document)).filter((id) => !members.has(id));
  if (gone.length > 0)
    throw new AppError('escalation_target_missing', {
      details: { membership_ids: gone, team_ids: [] },
    });
}

/**
 * Locks the organization's access, so that no one leaves the team or the organization meanwhile.
 * Then locks the team, which must be live.
 */
async function lockLiveTeam(trx: Db, organizationId: string, teamId: string): Promise<void> {
  await lockOrganization(trx, organizationId);
  const team = await lockTeam(trx, organizationId, teamId);
  if (!team) throw new AppError('not_found');
  if (team.archived) throw new AppError('team_archived');
}

export const teamPolicyKind: RevisionedKind<TeamPolicyDocument, TeamPolicyRevision> = {
  tables: teamPolicyTables,
  subject: 'team_escalation_policy',
  archivedCode: 'team_archived',
  auditData: () => ({}),
  parse: parseBody,
  checkReferences: checkTargets,
  store: (document) => stringifyExact(document),
  recordReferences: async (trx, { revisionId, document }) => {
    await insertPolicyTargets(trx, { revisionId, membershipIds: namedMembers(document) });
  },
  checkActivation: checkTargetsThere,
  lockFirst: lockLiveTeam,
  bornByRevision: true,
  ownerExists: async (db, organizationId, teamId) =>
    (await findTeam(db, organizationId, teamId)) !== undefined,
  view: (revision) => ({
    id: revision.id,
    teamId: revision.documentKey,
    revision: revision.revision,
    isActive: revision.isActive,
    document: storedPolicy(revision.document),
    createdByActorId: revision.createdByActorId,
    createdAt: revision.createdAt,
    warnings: [],
  }),
  advise: async (db, organizationId, view) => {
    const asksAll = pathTargets(view.document).some((target) => target.type === 'broadcast');
    const asked = {
      membershipIds: namedMembers(view.document),
      teamIds: asksAll ? [view.teamId] : [],
    };
    return { ...view, warnings: await findWarnings(db, organizationId, asked) };
  },
};

/**
 * The policy to which a walk inside a level is pinned. Throws when it is missing: a stored walk
 * always names an existing one.
 */
export const loadTeamPolicyRevision = revisionCache<TeamPolicyDocument>(
  async (db: Db, revisionId) => {
    const revision = await findRevisionById(db, revisionId, teamPolicyTables);
    if (!revision) throw new Error(`team policy revision ${revisionId} is missing`);
    return { value: storedPolicy(revision.document), size: revision.document.length };
  },
);
