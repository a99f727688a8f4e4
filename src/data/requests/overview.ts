/** The figures of an overview, without the demo agent. Each statement reads by an index, and a limited number of rows. */
import type { PermissionScope } from '../../domain/people/authorization.ts';
import type {
  DecidedFigures,
  EndingAgent,
  EndingKey,
  Firsts,
  Overview,
  SilentAgent,
  Waiting,
} from '../../domain/organization/overview.ts';
import type { ListAccess } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';
import { ENDING_API_KEY } from '../people/api-keys.ts';
import { MEMBER_PATHS, NOT_DEMO, visible, type Bindings } from './queue/access.ts';

interface WaitingRow {
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly count: number;
  readonly oldestAt: Date | null;
}

/** Of the pending requests that the caller may see. The pending cap limits how many there are. */
export async function readWaiting(
  db: Db,
  organizationId: string,
  access: ListAccess,
): Promise<Overview['waiting']> {
  const bindings: Bindings = { organization: organizationId };
  const rows = await queryRows<WaitingRow & { readonly kind: 'all' | 'team' | 'none' }>(
    db,
    `with member_paths as materialized (${MEMBER_PATHS}),
     waiting as materialized (
       select r.escalation_path_revision_id as path, cast(count(*) as integer) as count, min(r.created_at) as oldest_at
         from approval_requests r
        where r.organization_id = :organization and r.state = 'pending' and ${NOT_DEMO} and ${visible(access, bindings)}
        group by 1
     ),
     of_team as (
       select w.path, w.count, w.oldest_at, t.id as team_id, t.name as team_name
         from waiting w
         join escalation_path_targets g on g.escalation_path_revision_id = w.path and g.target_type = 'team'
         join teams t on t.id = g.team_id
     )
     select 'all' as kind, null as team_id, null as team_name,
            cast(coalesce(sum(count), 0) as integer) as count, min(oldest_at) as oldest_at
       from waiting
     union all
     select 'none', null, null, cast(coalesce(sum(count), 0) as integer), min(oldest_at)
       from waiting w where not exists (select from of_team o where o.path = w.path)
     union all
     select 'team', cast(team_id as text), team_name, cast(sum(count) as integer), min(oldest_at)
       from of_team group by team_id, team_name
      order by count desc, team_name, team_id`,
    bindings as never,
  );
  const of = (kind: string) => rows.find((row) => row.kind === kind);
  return {
    ...waitingOf(of('all')),
    withoutTeam: waitingOf(of('none')),
    teams: rows.flatMap(({ teamId, teamName, ...row }) =>
      teamId === null || teamName === null ? [] : [{ teamId, teamName, ...waitingOf(row) }],
    ),
  };
}

const waitingOf = (row: Pick<WaitingRow, 'count' | 'oldestAt'> | undefined): Waiting => ({
  count: row?.count ?? 0,
  ...(row?.oldestAt && { oldestAt: row.oldestAt }),
});

type DecidedRow = Omit<DecidedFigures, 'medianSeconds' | 'longSeconds'> & {
  readonly medianSeconds: number | null;
  readonly longSeconds: number | null;
};

/** Of the newest decisions, `atMost` of them, that the caller may see. Looks up their requests, however large the table is. */
export async function readDecided(
  db: Db,
  organizationId: string,
  { access, days, atMost }: { readonly access: ListAccess; readonly days: number; atMost: number },
): Promise<DecidedFigures> {
  const bindings: Bindings = { organization: organizationId, days, atMost };
  const { medianSeconds, longSeconds, ...row } = await queryOne<DecidedRow>(
    db,
    `with member_paths as materialized (${MEMBER_PATHS}),
     newest as materialized (
       select d.request_id, d.membership_id, d.status, d.channel, d.decided_at
         from decisions d
        where d.organization_id = :organization and d.decided_at >= statement_timestamp() - make_interval(days => :days)
        order by d.decided_at desc limit :atMost
     ),
     seen as (
       select d.*, cast(round(extract(epoch from d.decided_at - coalesce(r.routed_at, r.created_at))) as integer) as seconds
         from newest d
        cross join lateral (
          select q.id, q.agent_slug, q.escalation_path_revision_id, q.created_at, q.routed_at
            from approval_requests q where q.id = d.request_id limit 1) as r
        where ${NOT_DEMO} and ${visible(access, bindings)}
     )
     select case when (select count(*) from newest) < :atMost then statement_timestamp() - make_interval(days => :days)
                 else (select min(decided_at) from newest) end as since,
            cast(count(*) filter (where membership_id is not null) as integer) as by_people,
            cast(count(*) filter (where channel = 'pipeline') as integer) as by_rules,
            cast(count(*) filter (where status = 'expired') as integer) as expired,
            percentile_disc(0.5) within group (order by seconds) filter (where membership_id is not null) as median_seconds,
            percentile_disc(0.95) within group (order by seconds) filter (where membership_id is not null) as long_seconds
       from seen`,
    bindings as never,
  );
  return {
    ...row,
    ...(medianSeconds !== null && { medianSeconds }),
    ...(longSeconds !== null && { longSeconds }),
  };
}

export interface AgentsWithin {
  /** Which agents. */
  readonly scope: PermissionScope;
  readonly days: number;
  /** How many of them are listed. */
  readonly limit: number;
}

/** SQL: the active agents of the scope as `a`. */
function activeAgents({ scope }: AgentsWithin): string {
  return `agents a where a.organization_id = :organizationId and a.status = 'active' and not a.demo
    ${scope.all ? '' : 'and a.slug = any(cast(:slugs as text[]))'}`;
}

const bindingsOf = (organizationId: string, { scope, days, limit }: AgentsWithin) => ({
  organizationId,
  days,
  limit,
  ...(!scope.all && { slugs: [...scope.agentSlugs] }),
});

/** Agents of which an instance or a fleet has nothing left to call with soon, the next one first. */
export async function readEnding(
  db: Db,
  organizationId: string,
  within: AgentsWithin,
): Promise<Firsts<EndingAgent>> {
  const rows = await queryRows<EndingAgent & { readonly all: number }>(
    db,
    `select e.slug, e.name, e.ends_at, e.instance_count, e.provisioner_count, cast(count(*) over () as integer) as all
       from (
         select a.slug, a.name, least(i.ends_at, p.ends_at) as ends_at, i.count as instance_count, p.count as provisioner_count
           from (select a.slug, a.name from ${activeAgents(within)}) as a
          cross join lateral (
            select cast(count(*) as integer) as count, min(live_until) as ends_at from agent_instances
             where organization_id = :organizationId and agent_slug = a.slug and status = 'active' and deleted_at is null
               and live_until > statement_timestamp() and live_until < statement_timestamp() + make_interval(days => :days)
          ) i
          cross join lateral (
            select cast(count(*) as integer) as count, min(expires_at) as ends_at from agent_provisioners
             where organization_id = :organizationId and agent_slug = a.slug and revoked_at is null
               and expires_at > statement_timestamp() and expires_at < statement_timestamp() + make_interval(days => :days)
          ) p
       ) e
      where e.ends_at is not null
      order by e.ends_at, e.slug collate "C"
      limit :limit`,
    bindingsOf(organizationId, within),
  );
  return firstsOf(rows);
}

/** Which keys a caller may see. */
export interface KeysShown {
  /** Those of the whole organization. */
  readonly all: boolean;
  /** Those that this member made for themselves. */
  readonly own: string | undefined;
  /** Whether organization keys work. */
  readonly hasOrganizationKeys: boolean;
  readonly limit: number;
}

/** Keys that work and end soon, the next one first. */
export async function readEndingKeys(
  db: Db,
  organizationId: string,
  { all, own, hasOrganizationKeys, limit }: KeysShown,
): Promise<Overview['endingKeys']> {
  if (!all && own === undefined) return { count: 0, keys: [] };
  const isOwn =
    own === undefined ? 'false' : 'coalesce(k.membership_id = cast(:own as uuid), false)';
  const rows = await queryRows<EndingKey & { readonly all: number }>(
    db,
    `select k.id, k.name, k.kind, k.expires_at as ends_at,
            ${isOwn} as is_own, cast(count(*) over () as integer) as all
       from api_keys k
      where k.organization_id = :organizationId and ${ENDING_API_KEY}
        ${all ? '' : `and ${isOwn}`}
        ${hasOrganizationKeys ? '' : "and k.kind = 'personal'"}
      order by k.expires_at, k.id
      limit :limit`,
    { organizationId, limit, ...(own !== undefined && { own }) },
  );
  return { count: rows[0]?.all ?? 0, keys: rows };
}

/** Active agents that called once, and not for so many days. Who was silent longest comes first. */
export async function readSilent(
  db: Db,
  organizationId: string,
  within: AgentsWithin,
): Promise<Firsts<SilentAgent>> {
  const rows = await queryRows<SilentAgent & { readonly all: number }>(
    db,
    `select a.slug, a.name, seen.last_seen_at, cast(count(*) over () as integer) as all
       from (select a.slug, a.name from ${activeAgents(within)}) as a
      cross join lateral (
        select last_seen_at from agent_instances
         where organization_id = :organizationId and agent_slug = a.slug and last_seen_at > created_at
         order by last_seen_at desc limit 1
      ) seen
      where seen.last_seen_at < statement_timestamp() - make_interval(days => :days)
      order by seen.last_seen_at, a.slug collate "C"
      limit :limit`,
    bindingsOf(organizationId, within),
  );
  return firstsOf(rows);
}

function firstsOf<Item>(rows: readonly (Item & { readonly all: number })[]): Firsts<Item> {
  return { count: rows[0]?.all ?? 0, agents: rows };
}
