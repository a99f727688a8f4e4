/** Escalation policies of teams: the order in which a path asks the members of a team. */
import { historyOf, type Revision, type RevisionHistory } from '../../domain/revisions.ts';
import { AppError, invalid, type ErrorCode, type Issue } from '../../domain/errors.ts';
import type { EscalationPathDocument, TeamPolicyDocument } from '../../domain/escalation/types.ts';
import { findTargetNames } from '../../data/escalation/target-names.ts';
import { listPathsAskingTeam } from '../../data/escalation/escalation-paths.ts';
import { lockAccess } from '../../data/organization/organizations.ts';
import { findRevisionById } from '../../data/revisions.ts';
import {
  findTeamRosters,
  insertPolicyTargets,
  teamPolicyTables,
} from '../../data/escalation/team-escalation-policies.ts';
import { findTeam, lockTeam } from '../../data/people/teams.ts';
import { parseInSlices } from '../../platform/json/parse-in-slices.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { idsOf, namesIn, readTeamPolicy, type EscalationNames } from './read-escalation.ts';
import {
  findWarnings,
  tooLongPolicies,
  type EscalationWarning,
  type KnownPolicies,
} from './escalation-warnings.ts';
import { revisionCache } from '../revisions/cache.ts';
import type { RevisionedKind } from '../revisions/kind.ts';

export interface TeamPolicyRevision extends RevisionHistory {
  readonly id: string;
  readonly teamId: string;
  readonly revision: number;
  readonly isActive: boolean;
  /** The stored document. */
  readonly text: string;
  readonly warnings: readonly EscalationWarning[];
}

/** A stored revision was checked on creation. Later rules do not apply to it. */
export async function storedPolicy(text: string): Promise<TeamPolicyDocument> {
  return (await parseInSlices(text)) as unknown as TeamPolicyDocument;
}

/** The members of the team who were not removed from the organization, suspended or not. */
async function membersOf(
  db: Db,
  organizationId: string,
  teamId: string,
): Promise<ReadonlySet<string>> {
  const roster = (await findTeamRosters(db, organizationId, [teamId])).get(teamId);
  return new Set(roster?.members.map(({ membershipId }) => membershipId));
}

async function checkTargets(
  db: Db,
  organizationId: string,
  { documentKey: teamId, names }: { documentKey: string; names: EscalationNames },
): Promise<void> {
  const members = await membersOf(db, organizationId, teamId);
  const issues = names.targets.flatMap(({ target, pointer }): Issue[] =>
    target.type === 'user' && !members.has(target.id)
      ? [{ pointer, code: 'unknown_target', message: 'must be a member of the team' }]
      : [],
  );
  if (issues.length > 0) throw invalid(issues);
}

/** People who left the team after the revision was created must not come back by activating it. */
async function checkTargetsThere(
  trx: Trx,
  organizationId: string,
  revision: Revision,
): Promise<void> {
  const members = await membersOf(trx, organizationId, revision.documentKey);
  const gone = idsOf(namesIn(await storedPolicy(revision.document)), 'user').filter(
    (id) => !members.has(id),
  );
  if (gone.length > 0)
    throw new AppError('escalation_target_missing', {
      details: { membership_ids: gone, team_ids: [] },
    });
}

/**
 * Locks the organization's access, so that no one leaves the team or the organization meanwhile.
 * Then locks the team, which must be live.
 */
async function lockLiveTeam(
  trx: Trx,
  organizationId: string,
  teamId: string,
): Promise<ErrorCode | undefined> {
  await lockAccess(trx, organizationId);
  const team = await lockTeam(trx, organizationId, teamId);
  if (!team) return 'not_found';
  return team.archived ? 'team_archived' : undefined;
}

export const teamPolicyKind: RevisionedKind<EscalationNames, TeamPolicyRevision> = {
  tables: teamPolicyTables,
  permissions: {
    read: 'team.read',
    write: 'team.escalation.write',
    activate: 'team.escalation.activate',
  },
  targetOf: (teamId) => ({ kind: 'team', id: teamId }),
  subject: 'team_escalation_policy',
  archivedCode: 'team_archived',
  identity: (teamId) => ({ team_id: teamId, document_version: 1 }),
  auditData: () => ({}),
  reader: readTeamPolicy,
  checkReferences: checkTargets,
  recordReferences: async (trx, { revisionId, names }) => {
    await insertPolicyTargets(trx, { revisionId, membershipIds: idsOf(names, 'user') });
  },
  checkActivation: checkTargetsThere,
  lockFirst: lockLiveTeam,
  createdByFirstRevision: true,
  ownerExists: async (db, organizationId, teamId) =>
    (await findTeam(db, organizationId, teamId)) !== undefined,
  view: (revision) => ({
    id: revision.id,
    teamId: revision.documentKey,
    revision: revision.revision,
    isActive: revision.isActive,
    text: revision.document,
    ...historyOf(revision),
    warnings: [],
  }),
  addWarnings: async (db, organizationId, { view }) => {
    const policy = await storedPolicy(view.text);
    const names = namesIn(policy);
    const asksAll = names.targets.some(({ target }) => target.type === 'broadcast');
    const asked = {
      membershipIds: idsOf(names, 'user'),
      teamIds: asksAll ? [view.teamId] : [],
    };
    const warnings = [
      ...(await findWarnings(db, organizationId, asked)),
      ...(await tooLongFor(db, organizationId, { teamId: view.teamId, policy })),
    ];
    return { ...view, warnings };
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
    return { value: await storedPolicy(revision.document), size: revision.document.length };
  },
);

/** The active policies of these teams, and the names of those that have one. */
export async function activePolicies(
  db: Db,
  organizationId: string,
  teamIds: readonly string[],
): Promise<Pick<KnownPolicies, 'policies' | 'names'>> {
  const policies = new Map<string, TeamPolicyDocument>();
  for (const [teamId, { policyRevisionId }] of await findTeamRosters(db, organizationId, teamIds))
    if (policyRevisionId !== undefined)
      policies.set(teamId, await loadTeamPolicyRevision(db, policyRevisionId));
  const named = { membershipIds: [], teamIds: [...policies.keys()] };
  const names =
    policies.size === 0
      ? new Map<string, string>()
      : await findTargetNames(db, organizationId, named);
  return { policies, names };
}

/** The levels of active paths that are too short for this policy of the team. */
async function tooLongFor(
  db: Db,
  organizationId: string,
  { teamId, policy }: { readonly teamId: string; readonly policy: TeamPolicyDocument },
): Promise<readonly EscalationWarning[]> {
  const warnings: EscalationWarning[] = [];
  const names = await findTargetNames(db, organizationId, { membershipIds: [], teamIds: [teamId] });
  for (const { pathKey, document } of await listPathsAskingTeam(db, organizationId, teamId)) {
    const path = (await parseInSlices(document)) as unknown as EscalationPathDocument;
    warnings.push(
      ...tooLongPolicies(path, { pathKey, names, policies: new Map([[teamId, policy]]) }),
    );
  }
  return warnings;
}
