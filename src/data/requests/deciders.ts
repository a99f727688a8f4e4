/**
 * Who may decide requests: active members with `request.decide` for the agent, from their own
 * policies or their teams'.
 */
import type { Decider, TeamReach } from '../../domain/requests/deciders.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';
import { wantsNoKind } from '../notifications/channel-kinds.ts';
import { anyContains, containsPattern } from '../text-search.ts';

/** Condition on the membership `m`. `reaches` is the condition on a policy's scope. */
const mayDecide = (reaches: string, permission = 'request.decide'): string => `(
  m.status = 'active' and exists (
    select 1 from held_policies p
     where p.membership_id = m.id and p.organization_id = m.organization_id
       and (p.is_owner or ('${permission}' = any(p.permissions) and (${reaches})))))`;

/** SQL: the policy `p` covers the agent. `slug` is an SQL expression. */
export const reachesAgent = (slug: string): string =>
  `p.scope_kind = 'organization' or (p.scope_kind = 'agent' and ${slug} = any(p.resource_ids))`;

/** SQL: the membership `m` may decide the requests of the agent. `slug` is an SQL expression. */
export const mayDecideFor = (slug: string): string => mayDecide(reachesAgent(slug));

const mayDecideRoutedToOthers = (slug: string): string =>
  mayDecide(reachesAgent(slug), 'request.decide.unrouted');

/** SQL: the path revision targets the membership `m`. `revision` is an SQL expression. */
export const isTargeted = (revision: string): string => `exists (
    select 1 from escalation_path_targets pt
     where pt.escalation_path_revision_id = ${revision}
       and (pt.target_type = 'broadcast' or pt.membership_id = m.id
         or pt.team_id in (select tm.team_id from team_members tm join teams g on g.id = tm.team_id
                            where tm.membership_id = m.id and g.archived_at is null)))`;

/**
 * SQL: a membership `m` that may decide the agent's requests may also decide those of this path
 * revision. True when `revision` is null. `slug` and `revision` are SQL expressions.
 */
export const reaches = (slug: string, revision: string): string => `(
  ${revision} is null
  or ${isTargeted(revision)}
  or ${mayDecideRoutedToOthers(slug)})`;

/** SQL: the membership `m` has turned every channel off, so the walk does not ask it. */
export const HAS_NO_CHANNEL = `exists (
  select 1 from notification_settings w where w.membership_id = m.id and ${wantsNoKind('w')})`;

/**
 * SQL: the membership `m` may decide the request `r`, or could if it were pending. The same rules
 * as `src/domain/requests/request-access.ts`.
 */
export const MAY_DECIDE_REQUEST = `(
  ${mayDecideFor('r.agent_slug')} and (
    ${reaches('r.agent_slug', 'r.escalation_path_revision_id')}
    or exists (select 1 from added_reviewers ar where ar.request_id = r.id and ar.membership_id = m.id)))`;

const FOR_AGENT = mayDecideFor(':agentSlug');
const ROUTED_TO_OTHERS_FOR_AGENT = `${FOR_AGENT} and ${mayDecideRoutedToOthers(':agentSlug')}`;
const FOR_ANY_AGENT = mayDecide(`p.scope_kind in ('organization', 'agent')`);

const FIND: PreparedStatement = {
  name: 'find-deciders',
  sql: `
    select m.id as membership_id, u.display_name
      from memberships m join users u on u.id = m.user_id
     where m.organization_id = :organizationId and ${FOR_AGENT}
     order by m.created_at, m.id`,
};

/** Longest membership first. */
export async function findDeciders(
  db: Db,
  organizationId: string,
  agentSlug: string,
): Promise<Decider[]> {
  return await runPrepared<Decider>(db, FIND, { organizationId, agentSlug });
}

const FIND_ASKED: PreparedStatement = {
  name: 'find-asked-deciders',
  sql: `
    select m.id as membership_id, u.display_name
      from memberships m join users u on u.id = m.user_id
     where m.organization_id = :organizationId and ${FOR_AGENT} and not ${HAS_NO_CHANNEL}
     order by m.created_at, m.id`,
};

/** The deciders that the walk may ask: without members who have turned every channel off. */
export async function findAskedDeciders(
  db: Db,
  organizationId: string,
  agentSlug: string,
): Promise<Decider[]> {
  return await runPrepared<Decider>(db, FIND_ASKED, { organizationId, agentSlug });
}

/** Members that a walk may ask for any agent, longest membership first. */
export async function findAskedForAnyAgent(db: Db, organizationId: string): Promise<Decider[]> {
  return await queryRows<Decider>(
    db,
    `select m.id as membership_id, u.display_name
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and ${FOR_ANY_AGENT} and not ${HAS_NO_CHANNEL}
      order by m.created_at, m.id`,
    { organizationId },
  );
}

/** Members who may decide requests of the agent on every path. */
export async function findDecidersOfRoutedToOthers(
  db: Db,
  organizationId: string,
  agentSlug: string,
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    `select m.id from memberships m where m.organization_id = :organizationId and ${ROUTED_TO_OTHERS_FOR_AGENT}`,
    { organizationId, agentSlug },
  );
  return rows.map(({ id }) => id);
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
      where m.organization_id = :organizationId and m.id = any(cast(:membershipIds as uuid[])) and not ${FOR_ANY_AGENT}
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
      where ${wantsNoKind('s')} and m.organization_id = :organizationId and ${FOR_ANY_AGENT}
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
    `select t.id as team_id, t.name as team_name, count(m.id) as member_count, count(m.id) filter (where not ${FOR_ANY_AGENT}) as non_deciders
       from teams t
       left join memberships m
         on m.id in (select membership_id from team_members where team_id = t.id) and m.status <> 'deprovisioned'
      where t.organization_id = :organizationId and t.id = any(cast(:teamIds as uuid[])) and t.archived_at is null
      group by t.id
      order by lower(t.name), t.id`,
    { organizationId, teamIds: [...teamIds] },
  );
}
