/** Reads what a change of requests depends on, in one statement for any number of them. */
import type {
  People,
  PendingCount,
  RequestDecider,
  RequestView,
} from '../../../domain/requests/engine/view.ts';
import type { TeamMembers } from '../../../domain/escalation/recipients.ts';
import type { Db } from '../../../platform/postgres.ts';
import { type Bindings, type PreparedStatement, runPrepared } from '../../../platform/rows.ts';
import { PRESENTATION_OF_REQUEST } from '../../agents/tool-presentations.ts';
import { HAS_NO_CHANNEL, joinDeciders } from '../deciders.ts';
import { AGENT_LIMIT, agentWaiting, WAITING } from '../pending-caps.ts';
import {
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  REQUEST_TABLES,
  requestColumns,
  toRequest,
  type RequestRow,
} from '../rows.ts';
import { TOLD_UNREACHABLE } from '../unreachable.ts';
import { notifiedJson, toNotified, type NotifiedRow } from '../unreached.ts';

/** What to read besides the rows. */
export interface Need {
  /** An instant that has certainly passed: the rows' clocks are never before it. */
  readonly floor?: Date;
  /** False: what the agent sent is left out, because it may be long. Its documents are then the text `null`. */
  readonly texts: boolean;
  /** Who may decide, and who was notified. */
  readonly people?: {
    /** For requests that are evaluated: the paths to try, in order. */
    readonly pathKeys: readonly string[];
    /** The most requests of an organization that may wait for people. */
    readonly cap: number;
  };
}

const VIEW_COLUMNS = `
  cast(r.xmin as text) as version, o.access_version, o.claim_timeout_seconds as claim_timeout, ag.approval_window_seconds as approval_window, r.admitted, r.wake_at, r.wake_attempts,
  clock_timestamp() as read_at, greatest(date_trunc('milliseconds', clock_timestamp()), cast(:floor as timestamptz), r.last_at) as now,
  array(select a.membership_id from added_reviewers a where a.request_id = r.id) as added`;

/** Of the request's organization and agent. */
const SETTINGS = `
    join organizations o on o.id = r.organization_id
    join agents ag on ag.organization_id = r.organization_id and ag.slug = r.agent_slug`;

/**
 * Of one request, or of a set. The sub-select keeps the length of the array from the planner, which could plan the statement
 * again at each call (9 ms). Its guess is ten then, so the usual read of one request has a separate text.
 */
type Which = 'one' | 'set';
const ID_IS: Readonly<Record<Which, string>> = {
  one: '= cast(:id as uuid)',
  set: '= any(cast((select cast(:ids as uuid[])) as uuid[]))',
};

const FACTS_ONLY = `${requestColumns((column) => `cast('null' as text) as ${column}`)}, null as previous_metadata`;

const rowsStatement = (columns: string, which: Which): string => `
  select ${columns}, ${VIEW_COLUMNS}, r.escalation_path_revision_id as path_revision_id, ${PRESENTATION_OF_REQUEST} as presentation_id
    from ${REQUEST_TABLES} ${SETTINGS}
   where r.id ${ID_IS[which]}`;

/**
 * Each agent's deciders and each path's teams stand in one row only, the first with that agent or path: a set of requests
 * usually shares them.
 */
const peopleStatement = (columns: string, which: Which): string => `
  with wanted as materialized (
    select w.id, w.organization_id, w.agent_slug, coalesce(w.escalation_path_revision_id, path.revision_id) as path_revision_id
      from approval_requests w
      left join lateral (
        select v.id as revision_id
          from unnest(cast(:path_keys as text[])) with ordinality as k (key, place)
          join escalation_paths p on p.organization_id = w.organization_id and p.document_key = k.key
          join escalation_path_revisions v on v.escalation_path_id = p.id and v.revision = p.active_revision
         order by k.place limit 1) as path on w.state = 'evaluating'
     where w.id ${ID_IS[which]}
  ),
  deciders as materialized (
    select a.organization_id, a.agent_slug, jsonb_agg(jsonb_build_object(
             'membershipId', m.id, 'displayName', u.display_name, 'isReachable', not ${HAS_NO_CHANNEL},
             'decidesRoutedToOthers', held.decides_others, 'isOwner', held.is_owner) order by m.created_at, m.id) as list
      from (select distinct organization_id, agent_slug from wanted) as a
      join memberships m on m.organization_id = a.organization_id
      join users u on u.id = m.user_id
      ${joinDeciders('a.agent_slug')}
     group by a.organization_id, a.agent_slug
  ),
  teams as materialized (
    select w.path_revision_id, jsonb_agg(jsonb_build_object(
             'id', t.id, 'policyRevisionId', v.id,
             'members', array(select tm.membership_id from team_members tm join memberships m on m.id = tm.membership_id
                               where tm.team_id = t.id and m.status <> 'deprovisioned' order by m.created_at, m.id))) as list
      from (select distinct organization_id, path_revision_id from wanted) as w
      join escalation_path_targets pt on pt.escalation_path_revision_id = w.path_revision_id
      join teams t on t.id = pt.team_id and t.organization_id = w.organization_id and t.archived_at is null
      left join team_escalation_policies p on p.team_id = t.id
      left join team_escalation_policy_revisions v on v.team_escalation_policy_id = p.id and v.revision = p.active_revision
     group by w.path_revision_id
  )
  select ${columns}, ${VIEW_COLUMNS}, w.path_revision_id,
         case when row_number() over (partition by r.organization_id, r.agent_slug order by r.id) = 1 then deciders.list end as deciders,
         case when row_number() over (partition by w.path_revision_id order by r.id) = 1 then teams.list end as teams,
         ${notifiedJson('r.id')} as notified,
         ${TOLD_UNREACHABLE} as is_told,
         case when r.state = 'evaluating' and not r.admitted then ${WAITING} end as waiting,
         case when r.state = 'evaluating' and not r.admitted then ${agentWaiting('r.agent_slug')} end as agent_waiting, ${AGENT_LIMIT} as agent_limit
    from wanted w
    join approval_requests r on r.id = w.id ${REQUEST_JOINS}
    ${SETTINGS}
    left join deciders on deciders.organization_id = r.organization_id and deciders.agent_slug = r.agent_slug
    left join teams on teams.path_revision_id = w.path_revision_id
   order by r.id`;

const statements = new Map<string, PreparedStatement>();

function statementFor(which: Which, { texts, people }: Need): PreparedStatement {
  const parts = [`read-${which}`, texts ? 'texts' : 'facts', people ? 'people' : 'rows'];
  const name = parts.join('-');
  const columns = texts ? REQUEST_COLUMNS : FACTS_ONLY;
  const make = people ? peopleStatement : rowsStatement;
  const statement = statements.get(name) ?? { name, sql: make(columns, which) };
  statements.set(name, statement);
  return statement;
}

interface ViewRow extends RequestRow {
  version: string;
  accessVersion: number;
  claimTimeout: number;
  approvalWindow: number;
  admitted: boolean;
  wakeAt: Date | null;
  wakeAttempts: number;
  readAt: Date;
  now: Date;
  added: string[];
  presentationId?: string | null;
  pathRevisionId: string | null;
  deciders?: RequestDecider[] | null;
  teams?: { id: string; policyRevisionId: string | null; members: string[] }[] | null;
  notified?: NotifiedRow[] | null;
  isTold?: boolean;
  waiting?: number | null;
  agentWaiting?: number | null;
  agentLimit?: number;
}

/** Those of the requests that exist. */
export async function readViews(
  db: Db,
  ids: readonly string[],
  need: Need,
): Promise<RequestView[]> {
  const [id, ...others] = ids;
  if (id === undefined) return [];
  return others.length === 0
    ? await read(db, { which: 'one', ids: { id } }, need)
    : await read(db, { which: 'set', ids: { ids: [...ids] } }, need);
}

export async function readView(db: Db, id: string, need: Need): Promise<RequestView | undefined> {
  return (await readViews(db, [id], need))[0];
}

async function read(
  db: Db,
  { which, ids }: { readonly which: Which; readonly ids: Bindings },
  need: Need,
): Promise<RequestView[]> {
  const { floor, people } = need;
  const rows = await runPrepared<ViewRow>(db, statementFor(which, need), {
    ...ids,
    floor: floor ?? null,
    ...(people && { path_keys: [...people.pathKeys], cap: people.cap }),
  });
  const peopleOf = sharedPeople();
  return rows.map((row) => toView(row, people && { cap: people.cap, of: peopleOf(row) }));
}

function toView(
  row: ViewRow,
  people: { readonly cap: number; readonly of: People } | undefined,
): RequestView {
  return {
    request: toRequest(row),
    version: row.version,
    accessVersion: row.accessVersion,
    now: row.now,
    readAt: row.readAt,
    isAdmitted: row.admitted,
    wakeAt: row.wakeAt ?? undefined,
    wakeAttempts: row.wakeAttempts,
    added: row.added,
    claimTimeout: row.claimTimeout,
    approvalWindow: row.approvalWindow,
    presentationId: row.presentationId ?? undefined,
    pathRevisionId: row.pathRevisionId ?? undefined,
    routing: people && {
      people: people.of,
      notified: (row.notified ?? []).map(toNotified),
      isToldUnreachable: row.isTold === true,
    },
    pending: people && toPending(row, people.cap),
  };
}

function toPending(
  { waiting, agentWaiting, agentLimit }: ViewRow,
  limit: number,
): PendingCount | undefined {
  if (typeof waiting !== 'number' || typeof agentWaiting !== 'number' || agentLimit === undefined)
    return undefined;
  return { waiting, limit, agentWaiting, agentLimit };
}

/** The people of rows in order: each agent's and each path's come with its first row. */
function sharedPeople(): (row: ViewRow) => People {
  const deciders = new Map<string, readonly RequestDecider[]>();
  const teams = new Map<string, ReadonlyMap<string, TeamMembers>>();
  const people = new Map<string, People>();
  return (row) => {
    const agent = `${row.organizationId} ${row.agentSlug}`;
    const path = row.pathRevisionId ?? '';
    if (!deciders.has(agent)) deciders.set(agent, row.deciders ?? []);
    if (!teams.has(path)) teams.set(path, new Map((row.teams ?? []).map(toTeam)));
    const key = `${agent} ${path}`;
    const known = people.get(key) ?? {
      deciders: deciders.get(agent) ?? [],
      teams: teams.get(path) ?? new Map<string, TeamMembers>(),
    };
    people.set(key, known);
    return known;
  };
}

function toTeam({
  id,
  policyRevisionId,
  members,
}: NonNullable<ViewRow['teams']>[number]): [string, TeamMembers] {
  const team = members.map((membershipId) => ({ membershipId }));
  return [id, { members: team, ...(policyRevisionId !== null && { policyRevisionId }) }];
}
