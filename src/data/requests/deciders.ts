/**
 * Who may decide requests: active members with `request.decide` for the agent, from their own policies or their teams'. The
 * domain has the same rules in `src/domain/requests/request-access.ts`, and a test compares the two.
 */
import type { Permission } from '../../domain/people/permissions.ts';
import type { Decider, TeamReach } from '../../domain/requests/deciders.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import { wantsNoKind } from '../channel-kinds.ts';
import { anyContains, containsPattern } from '../text-search.ts';

/** SQL: the policy `p` covers the agent. `slug` is an SQL expression. */
const coversAgent = (slug: string): string =>
  `p.scope_kind = 'organization' or (p.scope_kind = 'agent' and ${slug} = any(p.resource_ids))`;
const COVERS_SOME_AGENT = `p.scope_kind in ('organization', 'agent')`;

/** SQL: the policies `p` of the membership `m` that count, own and through teams. `covers` is the condition on their scope. */
const heldBy = (covers: string): string =>
  `from held_policies p
  where p.membership_id = m.id and p.organization_id = m.organization_id and (p.is_owner or ${covers})`;

const IS_ACTIVE = `m.status = 'active'`;
const allows = (permission: Permission): string =>
  `(p.is_owner or '${permission}' = any(p.permissions))`;

const mayDecide = (covers: string): string =>
  `(${IS_ACTIVE} and exists (select 1 ${heldBy(covers)} and ${allows('request.decide')}))`;

/** SQL: the membership `m` may decide requests of the agent, as far as their rights go. `slug` is an SQL expression. */
export const mayDecideFor = (slug: string): string => mayDecide(coversAgent(slug));

/**
 * SQL: of the memberships `m` only those, joined by what else they may do: `held.decides_others` (requests that were routed
 * to others) and `held.is_owner`.
 */
export const joinDeciders = (slug: string): string => `
  join lateral (
    select bool_or(${allows('request.decide')}) as decides, bool_or(${allows('request.decide.unrouted')}) as decides_others,
           bool_or(p.is_owner) as is_owner
      ${heldBy(coversAgent(slug))}) as held on ${IS_ACTIVE} and held.decides`;

/** SQL: the membership `m` has turned every channel off, so the walk does not ask it. */
export const HAS_NO_CHANNEL = `exists (
  select 1 from notification_settings w where w.membership_id = m.id and ${wantsNoKind('w')})`;

const FOR_AGENT = mayDecideFor(':agentSlug');
const FOR_SOME_AGENT = mayDecide(COVERS_SOME_AGENT);

/**
 * The deciders that a walk may ask, longest membership first: those who have not turned every channel off. Of the agent, or
 * of any agent.
 */
export async function findAskedDeciders(
  db: Db,
  organizationId: string,
  agentSlug: string | undefined,
): Promise<Decider[]> {
  return await queryRows<Decider>(
    db,
    `select m.id as membership_id, u.display_name
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and not ${HAS_NO_CHANNEL}
        and ${agentSlug === undefined ? FOR_SOME_AGENT : FOR_AGENT}
      order by m.created_at, m.id`,
    { organizationId, ...(agentSlug !== undefined && { agentSlug }) },
  );
}

interface DeciderPage {
  readonly agentSlug: string;
  /** Case-insensitive substring of name or email. */
  readonly q: string;
  readonly limit: number;
  /** Only those after this membership. */
  readonly after: string | undefined;
}

/** One page of those who may decide for the agent, by name. */
export async function listDeciders(
  db: Db,
  organizationId: string,
  page: DeciderPage,
): Promise<(Decider & { readonly email: string })[]> {
  return await queryRows<Decider & { email: string }>(
    db,
    `select m.id as membership_id, u.display_name, u.email
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and ${FOR_AGENT}
        and ${anyContains(['u.display_name', 'u.email'])}
        and (cast(:after as uuid) is null or (lower(u.display_name), m.id) > (
          select lower(x.display_name), y.id from memberships y join users x on x.id = y.user_id
           where y.organization_id = :organizationId and y.id = cast(:after as uuid)))
      order by lower(u.display_name), m.id
      limit :limit`,
    {
      organizationId,
      agentSlug: page.agentSlug,
      pattern: containsPattern(page.q),
      limit: page.limit,
      after: page.after ?? null,
    },
  );
}

/** Of these memberships, those that may not decide the requests of any agent, by name. */
export async function findNonDeciders(
  db: Db,
  organizationId: string,
  membershipIds: readonly string[],
): Promise<Decider[]> {
  if (membershipIds.length === 0) return [];
  return await queryRows<Decider>(
    db,
    `select m.id as membership_id, u.display_name
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.id = any(cast(:membershipIds as uuid[])) and not ${FOR_SOME_AGENT}
      order by lower(u.display_name), m.id`,
    { organizationId, membershipIds: [...membershipIds] },
  );
}

/**
 * Who could decide for some agent and has turned every channel off: of these memberships, and of
 * the members of these teams. By name.
 */
export async function findWithoutChannel(
  db: Db,
  organizationId: string,
  asked: { readonly membershipIds: readonly string[]; readonly teamIds: readonly string[] },
): Promise<Decider[]> {
  return await queryRows<Decider>(
    db,
    `select m.id as membership_id, u.display_name
       from notification_settings s
       join memberships m on m.id = s.membership_id
       join users u on u.id = m.user_id
      where ${wantsNoKind('s')} and m.organization_id = :organizationId and ${FOR_SOME_AGENT}
        and (m.id = any(cast(:membershipIds as uuid[]))
          or m.id in (select membership_id from team_members where team_id = any(cast(:teamIds as uuid[]))))
      order by lower(u.display_name), m.id`,
    { organizationId, membershipIds: [...asked.membershipIds], teamIds: [...asked.teamIds] },
  );
}

/** The live teams among these, by name. */
export async function findTeamReach(
  db: Db,
  organizationId: string,
  teamIds: readonly string[],
): Promise<TeamReach[]> {
  if (teamIds.length === 0) return [];
  return await queryRows<TeamReach>(
    db,
    `select t.id as team_id, t.name as team_name, count(m.id) as member_count, count(m.id) filter (where not ${FOR_SOME_AGENT}) as non_deciders
       from teams t
       left join memberships m
         on m.id in (select membership_id from team_members where team_id = t.id) and m.status <> 'deprovisioned'
      where t.organization_id = :organizationId and t.id = any(cast(:teamIds as uuid[])) and t.archived_at is null
      group by t.id
      order by lower(t.name), t.id`,
    { organizationId, teamIds: [...teamIds] },
  );
}

/** Someone who may decide for an agent, and how many there are in all. */
export interface CountedDecider extends Decider {
  readonly agentSlug: string;
  readonly isOwner: boolean;
  readonly count: number;
  readonly ownerCount: number;
}

/**
 * Those who may decide for each of the agents, without the given memberships: the first ones of each agent, owners last,
 * each time by name.
 */
export async function listDecidersOfAgents(
  db: Db,
  organizationId: string,
  of: {
    readonly agentSlugs: readonly string[];
    readonly without: readonly string[];
    readonly limit: number;
  },
): Promise<CountedDecider[]> {
  if (of.agentSlugs.length === 0) return [];
  return await queryRows<CountedDecider>(
    db,
    `select s.slug as agent_slug, d.*
       from unnest(cast(:agentSlugs as text[])) as s(slug)
       join lateral (
         select m.id as membership_id, u.display_name, held.is_owner, count(*) over () as count,
                count(*) filter (where held.is_owner) over () as owner_count
           from memberships m join users u on u.id = m.user_id
           ${joinDeciders('s.slug')}
          where m.organization_id = :organizationId and m.id <> all(cast(:without as uuid[]))
          order by held.is_owner, lower(u.display_name), m.id
          limit :limit) as d on true
      order by s.slug, d.is_owner, lower(d.display_name), d.membership_id`,
    {
      organizationId,
      agentSlugs: [...of.agentSlugs],
      without: [...of.without],
      limit: of.limit,
    },
  );
}
