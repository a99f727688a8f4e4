/** Escalation paths and their revisions: who is asked, and in which order. */
import { historyOf, type Revision, type RevisionHistory } from '../../domain/revisions.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import {
  distinctTargets,
  pathTargets,
  type EscalationPathDocument,
  type Target,
} from '../../domain/escalation/types.ts';
import {
  escalationPathTables,
  findAddressable,
  insertTargets,
} from '../../data/escalation/escalation-paths.ts';
import { lockAccess } from '../../data/organization/organizations.ts';
import { listActiveUsesOfPath } from '../../data/pipelines/request-approval-pipelines.ts';
import { findRevisionById } from '../../data/revisions.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import { parseInSlices } from '../../platform/json/parse-in-slices.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { readDocument } from '../read-documents.ts';
import {
  idsOf,
  namesIn,
  readEscalationPath,
  readNewEscalationPath,
  type EscalationNames,
} from './read-escalation.ts';
import { findWarnings, tooLongPolicies, type EscalationWarning } from './escalation-warnings.ts';
import { activePolicies } from './team-escalation-policies.ts';
import { placesOf, type EscalationPathUse } from './escalation-path-uses.ts';
import { archiveDocument } from '../revisions/archive.ts';
import { revisionCache } from '../revisions/cache.ts';
import type { ChangedRevision } from '../revisions/change.ts';
import { createDocument } from '../revisions/create.ts';
import type { RevisionedKind } from '../revisions/kind.ts';
import { listSummaries, type SummaryQuery } from '../revisions/read.ts';

export interface EscalationPathRevision extends RevisionHistory {
  readonly id: string;
  readonly pathKey: string;
  readonly revision: number;
  readonly isActive: boolean;
  /** The stored document. */
  readonly text: string;
  readonly archivedAt?: Date;
  readonly warnings: readonly EscalationWarning[];
}

/** A stored revision was checked on creation. Later rules do not apply to it. */
export async function storedPath(text: string): Promise<EscalationPathDocument> {
  return (await parseInSlices(text)) as unknown as EscalationPathDocument;
}

interface LiveTargets {
  readonly members: ReadonlySet<string>;
  readonly teams: ReadonlySet<string>;
}

/**
 * The targets among these that are live: members who were not removed, and teams that were not
 * archived.
 */
async function findLiveTargets(
  db: Db,
  organizationId: string,
  names: EscalationNames,
): Promise<LiveTargets> {
  const members = await findAddressable(db, organizationId, idsOf(names, 'user'));
  const teams = await findTeamRosters(db, organizationId, idsOf(names, 'team'));
  return { members: new Set(members), teams: new Set(teams.keys()) };
}

/** Throws 400 for each target that is no live member or team. */
export async function checkTargets(
  db: Db,
  organizationId: string,
  { names }: { readonly names: EscalationNames },
): Promise<void> {
  const { members, teams } = await findLiveTargets(db, organizationId, names);
  const issues = names.targets.flatMap(({ target, pointer }): Issue[] => {
    if (target.type === 'broadcast' || (target.type === 'user' ? members : teams).has(target.id))
      return [];
    const message =
      target.type === 'user'
        ? 'must be a member of the organization'
        : 'must be a team of the organization that is not archived';
    return [{ pointer, code: 'unknown_target', message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/** Members removed and teams archived after the revision was created must not come back by activating it. */
async function checkTargetsThere(
  trx: Trx,
  organizationId: string,
  revision: Revision,
): Promise<void> {
  const names = namesIn(await storedPath(revision.document));
  const { members, teams } = await findLiveTargets(trx, organizationId, names);
  const membershipIds = idsOf(names, 'user').filter((id) => !members.has(id));
  const teamIds = idsOf(names, 'team').filter((id) => !teams.has(id));
  if (membershipIds.length + teamIds.length === 0) return;
  throw new AppError('escalation_target_missing', {
    details: { membership_ids: membershipIds, team_ids: teamIds },
  });
}

export const escalationPathKind: RevisionedKind<EscalationNames, EscalationPathRevision> = {
  tables: escalationPathTables,
  permissions: {
    read: 'escalation_path.read',
    write: 'escalation_path.write',
    activate: 'escalation_path.activate',
  },
  targetOf: () => ({ kind: 'organization' }),
  subject: 'escalation_path',
  archivedCode: 'escalation_path_archived',
  identity: (documentKey) => ({ path_key: documentKey, document_version: 1 }),
  auditData: () => ({}),
  reader: readEscalationPath,
  checkReferences: checkTargets,
  recordReferences: async (trx, { revisionId, names }) => {
    const targets = distinctTargets(names.targets.map(({ target }) => target));
    await insertTargets(trx, { revisionId, targets });
  },
  checkActivation: checkTargetsThere,
  lockFirst: async (trx, organizationId) => {
    await lockAccess(trx, organizationId);
    return undefined;
  },
  view: (revision: Revision) => ({
    id: revision.id,
    pathKey: revision.documentKey,
    revision: revision.revision,
    isActive: revision.isActive,
    text: revision.document,
    ...historyOf(revision),
    ...(revision.archivedAt && { archivedAt: revision.archivedAt }),
    warnings: [],
  }),
  addWarnings: async (db, organizationId, { view }) => {
    const path = await storedPath(view.text);
    const names = namesIn(path);
    const asked = { membershipIds: idsOf(names, 'user'), teamIds: idsOf(names, 'team') };
    const warnings = [
      ...(await findWarnings(db, organizationId, asked)),
      ...tooLongPolicies(path, await activePolicies(db, organizationId, asked.teamIds)),
    ];
    return { ...view, warnings };
  },
};

/**
 * Creates a path with its first revision, inactive. `body` is the document with a `path_key`. Throws 400, and 409
 * `escalation_path_exists` when a path has the key, archived or not.
 */
export async function createEscalationPath(
  context: ServiceContext,
  principal: ProductPrincipal,
  body: ExactValue | JsonText,
): Promise<ChangedRevision<EscalationPathRevision>> {
  const document = await readDocument(context, principal, { reader: readNewEscalationPath, body });
  return await createDocument(context, principal, {
    kind: escalationPathKind,
    documentKey: document.names.pathKey ?? '',
    document,
    taken: 'escalation_path_exists',
  });
}

export async function listEscalationPaths(
  context: ServiceContext,
  principal: ProductPrincipal,
  query: SummaryQuery,
) {
  return await listSummaries(context, principal, { tables: escalationPathTables, query });
}

/** Archives a path for good. Throws 404, and 409 `escalation_path_in_use` while an active pipeline names it. */
export async function archiveEscalationPath(
  context: ServiceContext,
  principal: ProductPrincipal,
  pathKey: string,
): Promise<void> {
  const { organizationId } = principal;
  await archiveDocument(context, principal, {
    kind: escalationPathKind,
    documentKey: pathKey,
    refuse: async (trx) => {
      const uses = await listActiveUsesOfPath(trx, organizationId, { pathKey });
      if (uses.length > 0)
        throw new AppError('escalation_path_in_use', {
          details: { uses: (await placesOf(uses, pathKey)).map(useDetails) },
        });
    },
  });
}

const useDetails = ({ pipelineId, agentSlug, blockKey, ...use }: EscalationPathUse) => ({
  pipeline_id: pipelineId,
  scope: use.scope,
  agent_slug: agentSlug,
  revision: use.revision,
  ...(blockKey !== undefined && { block_key: blockKey, block_name: use.blockName }),
});

/** A revision as its requests need it. `targets`: all its targets, each once. */
export interface LoadedEscalationPath {
  readonly id: string;
  readonly pathKey: string;
  readonly revision: number;
  readonly name: string;
  readonly document: EscalationPathDocument;
  readonly targets: readonly Target[];
}

/** The revision that a request is pinned to. Throws when it is missing: a request always names an existing one. */
export const loadEscalationPathRevision = revisionCache<LoadedEscalationPath>(
  async (db: Db, revisionId) => {
    const revision = await findRevisionById(db, revisionId, escalationPathTables);
    if (!revision) throw new Error(`escalation path revision ${revisionId} is missing`);
    const document = await storedPath(revision.document);
    return {
      value: {
        id: revision.id,
        pathKey: revision.documentKey,
        revision: revision.revision,
        name: document.name,
        document,
        targets: pathTargets(document),
      },
      size: revision.document.length,
    };
  },
);
