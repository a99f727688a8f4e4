/**
 * What a change of access would do, before it is saved: who gains and loses what, and who could decide for each agent
 * afterwards. It changes nothing. Saving checks more: whether the caller may make the change, and what would be left.
 */
import {
  findPolicy,
  findPolicyHolder,
  listMemberAccess,
  listPolicies,
  listPolicyResources,
} from '../../data/people/permission-policies.ts';
import {
  findTeam,
  listHandAdded,
  listTeamMembers,
  listTeamMembershipIds,
} from '../../data/people/teams.ts';
import { listDecidersOfAgents } from '../../data/requests/deciders.ts';
import { AppError } from '../../domain/errors.ts';
import {
  accessDifference,
  agentDeciders,
  changedAccess,
  changedDecider,
  decidingChanges,
  hasOtherDeciders,
  type AccessChange,
  type AccessDifference,
  type AgentDecider,
  type AgentDeciders,
  type ChangedHolder,
} from '../../domain/people/access-effects.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import {
  fixedReason,
  type PolicyHolder,
  type PolicyResource,
  type PolicyTerms,
} from '../../domain/people/permission-policies.ts';
import { mapYielding } from '../../platform/event-loop.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { namesOf } from './effective-access.ts';
import { readOnly, requireOpen, requireValidTerms, settingOf } from './permission-policies.ts';

/** What could be saved. */
export type PreviewedChange =
  | { readonly kind: 'create_policy'; readonly holder: PolicyHolder; readonly terms: PolicyTerms }
  | {
      readonly kind: 'replace_policy';
      readonly holder: PolicyHolder;
      readonly policyId: string;
      readonly terms: PolicyTerms;
    }
  | { readonly kind: 'delete_policy'; readonly holder: PolicyHolder; readonly policyId: string }
  | {
      readonly kind: 'set_team_members';
      readonly teamId: string;
      readonly membershipIds: readonly string[];
    }
  | { readonly kind: 'archive_team'; readonly teamId: string }
  | {
      readonly kind: 'set_member_active';
      readonly membershipId: string;
      readonly isActive: boolean;
    };

/** A member or an organization key for which something changes. */
export interface AffectedHolder extends AccessDifference {
  readonly kind: 'member' | 'api_key';
  readonly id: string;
  readonly name: string;
}

export interface AffectedAgent extends AgentDeciders {
  readonly name: string;
}

export interface AccessEffect {
  /** The first of them, by name. */
  readonly holders: readonly AffectedHolder[];
  readonly holderCount: number;
  /** The first of those for which other people may decide afterwards, by name. */
  readonly agents: readonly AffectedAgent[];
  readonly agentCount: number;
  /** The agents and teams that gains and losses name. */
  readonly resources: readonly PolicyResource[];
}

export const LISTED_HOLDERS = 50;
export const LISTED_AGENTS = 20;
export const LISTED_DECIDERS = 5;

/** Throws 404, 400 for terms that cannot be saved, and 409 where the holder or the policy cannot change. */
export async function previewAccessChange(
  context: ServiceContext,
  { organizationId }: MemberPrincipal,
  change: PreviewedChange,
): Promise<AccessEffect> {
  return await context.db.transaction(
    async (trx) => {
      const of = { trx, organizationId, runtime: context };
      const { kind, changed } = await readChanged(of, change);
      return await effectOf(of, { kind, changed });
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

interface Reading {
  readonly trx: Trx;
  readonly organizationId: string;
  readonly runtime: Runtime;
}

interface Changed {
  readonly kind: AffectedHolder['kind'];
  readonly changed: readonly ChangedHolder[];
}

async function readChanged(of: Reading, change: PreviewedChange): Promise<Changed> {
  switch (change.kind) {
    case 'create_policy':
    case 'replace_policy':
    case 'delete_policy':
      return await policyChange(of, change);
    case 'set_team_members':
      return await teamChange(of, change);
    case 'archive_team': {
      await requireLiveTeam(of, change.teamId);
      const ids = await listTeamMembershipIds(of.trx, change.teamId);
      return await membersChange(of, ids, () => ({ kind: 'leave', teamId: change.teamId }));
    }
    case 'set_member_active': {
      const { membershipId: id, isActive } = change;
      requireOpen(await findHolder(of, { kind: 'membership', id }));
      return await membersChange(of, [id], () => ({ kind: 'set_active', isActive }));
    }
  }
}

async function findHolder({ trx, organizationId }: Reading, holder: PolicyHolder) {
  const state = await findPolicyHolder(trx, organizationId, holder);
  if (!state) throw new AppError('not_found');
  return state;
}

/** A team's policies are those of its members, too, under the same ids. */
async function policyChange(
  of: Reading,
  change: Extract<PreviewedChange, { readonly holder: PolicyHolder }>,
): Promise<Changed> {
  const { trx, organizationId, runtime } = of;
  const { holder } = change;
  const state = await findHolder(of, holder);
  requireOpen(state);
  if (change.kind !== 'create_policy') await requireOwnPolicy(of, change);
  if (change.kind !== 'delete_policy')
    await requireValidTerms(trx, organizationId, {
      ...settingOf(runtime, holder),
      policies: [{ terms: change.terms, pointer: '/policy' }],
    });
  const access = accessChangeOf(change);
  if (holder.kind === 'organization_api_key') {
    const policies = await listPolicies(trx, organizationId, holder);
    const before = { isActive: true, policies };
    const key = { id: holder.id, name: state.name, before, after: changedAccess(before, access) };
    return { kind: 'api_key', changed: [key] };
  }
  const ids =
    holder.kind === 'membership' ? [holder.id] : await listTeamMembershipIds(trx, holder.id);
  return await membersChange(of, ids, () => access);
}

function accessChangeOf(
  change: Extract<PreviewedChange, { readonly holder: PolicyHolder }>,
): AccessChange {
  if (change.kind === 'create_policy') return { kind: 'create', terms: change.terms };
  const { policyId } = change;
  return change.kind === 'delete_policy'
    ? { kind: 'delete', policyId }
    : { kind: 'replace', policyId, terms: change.terms };
}

async function requireOwnPolicy(
  { trx, organizationId }: Reading,
  { holder, policyId }: { readonly holder: PolicyHolder; readonly policyId: string },
): Promise<void> {
  const policy = await findPolicy(trx, organizationId, { holder, id: policyId });
  if (!policy) throw new AppError('not_found');
  const fixed = fixedReason({ inherited: policy.viaTeamId !== null, source: policy.source });
  if (fixed !== undefined) throw readOnly(fixed);
}

async function requireLiveTeam({ trx, organizationId }: Reading, id: string): Promise<void> {
  const team = await findTeam(trx, organizationId, id);
  if (!team) throw new AppError('not_found');
  if (team.archivedAt !== null) throw new AppError('team_archived');
}

/** Members of the directory stay in the team. */
async function teamChange(
  of: Reading,
  { teamId, membershipIds }: { readonly teamId: string; readonly membershipIds: readonly string[] },
): Promise<Changed> {
  const { trx, organizationId } = of;
  await requireLiveTeam(of, teamId);
  const present = await listTeamMembers(trx, organizationId, teamId);
  const isIn = new Set(present.map((each) => each.membershipId));
  const wanted = new Set(membershipIds);
  const byDirectory = new Set(
    present.filter(({ sources }) => sources.includes('directory')).map((each) => each.membershipId),
  );
  const left = (await listHandAdded(trx, teamId)).filter(
    (id) => !wanted.has(id) && !byDirectory.has(id),
  );
  const joined = [...wanted].filter((id) => !isIn.has(id));
  const policies = (await listPolicies(trx, organizationId, { kind: 'team', id: teamId })).map(
    (policy) => ({ ...policy, viaTeamId: teamId }),
  );
  const leaves = new Set(left);
  return await membersChange(of, [...left, ...joined], (id) =>
    leaves.has(id) ? { kind: 'leave', teamId } : { kind: 'join', policies },
  );
}

async function membersChange(
  { trx, organizationId }: Reading,
  ids: readonly string[],
  changeOf: (membershipId: string) => AccessChange,
): Promise<Changed> {
  const members = await listMemberAccess(trx, organizationId, ids);
  const changed = members.map(({ membershipId: id, displayName, active, policies }) => {
    const before = { isActive: active, policies };
    return { id, name: displayName, before, after: changedAccess(before, changeOf(id)) };
  });
  return { kind: 'member', changed };
}

async function effectOf(of: Reading, { kind, changed }: Changed): Promise<AccessEffect> {
  const { trx, organizationId, runtime } = of;
  // A team may have a thousand members, each with rights at hundreds of agents.
  const told = await mapYielding(changed, ({ id, name, before, after }) => ({
    ...{ kind, id, name },
    ...accessDifference(before, after, runtime.edition),
  }));
  const holders = told.filter(({ gains, losses }) => gains.length + losses.length > 0);
  const listed = holders.slice(0, LISTED_HOLDERS);
  const members = kind === 'member' ? changed : [];
  const agents = await agentsOf(of, { members, reach: decidingChanges(holders) });
  const resources = await namesOf(
    trx,
    organizationId,
    listed.flatMap(({ gains, losses, keeps }) => [...gains, ...losses, ...keeps]),
  );
  return { holders: listed, holderCount: holders.length, ...agents, resources };
}

/** Of the first 500 live agents, those for which other people may decide. */
async function agentsOf(
  { trx, organizationId }: Reading,
  {
    members,
    reach,
  }: { readonly members: readonly ChangedHolder[]; readonly reach: 'all' | readonly string[] },
): Promise<Pick<AccessEffect, 'agents' | 'agentCount'>> {
  if (members.length === 0 || reach.length === 0) return { agents: [], agentCount: 0 };
  const live = await listPolicyResources(trx, organizationId, {
    agents: { live: reach, named: [] },
    teams: { live: [], named: [] },
  });
  const names = new Map(live.map(({ id, name }) => [id, name]));
  const deciding = await mapYielding(members, changedDecider);
  const changes = await mapYielding([...names.keys()], (slug) =>
    hasOtherDeciders(deciding, slug) ? [slug] : [],
  );
  const slugs = changes.flat();
  const listed = slugs.slice(0, LISTED_AGENTS);
  const found = await listDecidersOfAgents(trx, organizationId, {
    agentSlugs: listed,
    without: members.map(({ id }) => id),
    limit: LISTED_DECIDERS,
  });
  const others = new Map(
    listed.map((slug) => {
      const same = found.filter(({ agentSlug }) => agentSlug === slug);
      const { count = 0, ownerCount = 0 } = same[0] ?? {};
      return [slug, { deciders: same satisfies readonly AgentDecider[], count, ownerCount }];
    }),
  );
  const agents = agentDeciders(deciding, others, LISTED_DECIDERS).map((agent) => ({
    ...agent,
    name: names.get(agent.slug) ?? agent.slug,
  }));
  return { agents, agentCount: slugs.length };
}
