/**
 * The hand-over to people with its first level, in one statement. It writes only if nothing has
 * changed that it depends on. `docs/adr/0016-a-hand-over-in-one-statement.md` argues why that is safe.
 */
import type { ApprovalRequest, Route } from '../../domain/requests/approval-requests.ts';
import type { Decider } from '../../domain/requests/deciders.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { mayBeAskedFor } from './deciders.ts';
import type { WalkPlan } from './escalate.ts';
import { HAS_ROOM_UNCOUNTED } from './pending-caps.ts';
import { TRY_RIGHTS_LOCK_SHARED } from './unreachable.ts';
import { levelBindings, WRITE_LEVELS, type LevelWrites } from './levels.ts';

/** What the hand-over of a request depends on, besides the request as it was created. */
export interface HandOverView {
  /** Identifies the version of the row. Every change of the request writes the row. */
  readonly version: string;
  /** Identifies who may decide. Every change of anyone's access increments it. */
  readonly accessVersion: number;
  /** The instant of the hand-over. */
  readonly now: Date;
  /** The first of the paths that is active. */
  readonly path?: { readonly key: string; readonly revisionId: string };
  /** Those that the walk may ask, longest membership first. */
  readonly deciders: readonly Decider[];
}

interface ViewRow {
  version: string;
  accessVersion: number;
  now: Date;
  pathKey: string | null;
  pathRevisionId: string | null;
  membershipIds: string[];
  displayNames: string[];
}

const READ: PreparedStatement = {
  name: 'read-to-hand-over',
  sql: `
    with deciders as materialized (
      select m.id, u.display_name, m.created_at
        from memberships m join users u on u.id = m.user_id
       where m.organization_id = cast(:organizationId as uuid) and ${mayBeAskedFor('cast(:agent_slug as text)')}
    )
    select cast(r.xmin as text) as version, o.access_version,
           greatest(date_trunc('milliseconds', clock_timestamp()), cast(:floor as timestamptz), r.last_at) as now,
           path.key as path_key, path.revision_id as path_revision_id,
           array(select id from deciders order by created_at, id) as membership_ids,
           array(select display_name from deciders order by created_at, id) as display_names
      from approval_requests r
      join organizations o on o.id = r.organization_id
      left join lateral (
        select k.key, v.id as revision_id
          from unnest(cast(:path_keys as text[])) with ordinality as k (key, place)
          join escalation_paths p on p.organization_id = o.id and p.document_key = k.key
          join escalation_path_revisions v on v.escalation_path_id = p.id and v.revision = p.active_revision
         order by k.place limit 1) as path on true
     where r.id = cast(:id as uuid) and r.organization_id = cast(:organizationId as uuid) and r.state = 'evaluating'`,
};

/** Undefined when the request is no longer evaluating. */
export async function readToHandOver(
  db: Db,
  { id, organizationId, agentSlug }: ApprovalRequest,
  { floor, pathKeys }: { readonly floor: Date; readonly pathKeys: readonly string[] },
): Promise<HandOverView | undefined> {
  const [row] = await runPrepared<ViewRow>(db, READ, {
    id,
    organizationId,
    agent_slug: agentSlug,
    floor,
    path_keys: [...pathKeys],
  });
  if (!row) return undefined;
  const { version, accessVersion, now, pathKey: key, pathRevisionId: revisionId } = row;
  const deciders = row.membershipIds.map((membershipId, index) => ({
    membershipId,
    displayName: row.displayNames[index] ?? '',
  }));
  const path = key === null || revisionId === null ? undefined : { key, revisionId };
  return { version, accessVersion, now, ...(path && { path }), deciders };
}

/** How old the instant of a hand-over may be, since a level's wait counts from its notification. */
const OLDEST_INSTANT_MS = 1_000;

/**
 * Never waits: a row that is locked, or has another version by now, is not found, and nothing is
 * written. The count of pending requests is as of the start of the statement.
 */
const HAND_OVER: PreparedStatement = {
  name: 'hand-over-unchanged',
  sql: `
    with access as materialized (
      select o.id, o.agent_pending_percent from organizations o
       where o.id = cast(:organizationId as uuid) and o.access_version = :access_version and ${TRY_RIGHTS_LOCK_SHARED}
         for share skip locked
    ),
    path as materialized (
      select p.id
        from access
        join escalation_paths p on p.organization_id = access.id
        join escalation_path_revisions v on v.escalation_path_id = p.id and v.revision = p.active_revision
       where v.id = cast(:path_revision as uuid)
         for share of p skip locked
    ),
    locked as materialized (
      select r.id, r.organization_id, r.admitted, r.deadline_at
        from access join approval_requests r on r.organization_id = access.id
       where r.id = cast(:id as uuid) and r.xmin = cast(:version as xid) and r.state = 'evaluating'
         and (cast(:path_revision as uuid) is null or exists (select from path))
         for no key update of r skip locked
    ),
    ready as materialized (
      select id, organization_id, cast(:now as timestamptz) as now from locked
       where clock_timestamp() < least(deadline_at, cast(:now as timestamptz) + :oldest_ms * interval '1 millisecond')
         and (admitted or exists (select from access o where ${HAS_ROOM_UNCOUNTED}))
    ),
    routed as (
      update approval_requests r
         set state = 'pending', routed_at = ready.now, updated_at = ready.now, last_at = ready.now,
             route_source = :route_source, route_scope = :route_scope, route_block_id = :route_block_id, route_reason = :route_reason,
             escalation_path_revision_id = cast(:path_revision as uuid),
             walk = cast(:walk as json), next_at = :next_at, urgency = :urgency, wake_at = :wake_at,
             wake_attempts = case when :by_workflow then 0 else r.wake_attempts end
        from ready
       where r.id = ready.id
      returning r.id
    ),
    ${WRITE_LEVELS}
    select id from routed`,
};

export interface HandOver {
  readonly view: HandOverView;
  readonly route: Route;
  readonly plan: WalkPlan;
  readonly writes: LevelWrites;
  /** The most requests of the organization that may wait for people. */
  readonly cap: number;
  /** Without a lock, the hand-over is allowed only while fewer wait. */
  readonly uncounted: number;
  /** This deployment sends email. */
  readonly byEmail: boolean;
}

/** False, and nothing is written, when anything has changed since it was read, or is being changed. */
export async function handOverIfUnchanged(
  db: Db,
  { id, organizationId, agentSlug }: ApprovalRequest,
  { view, route, plan, writes, cap, uncounted, byEmail }: HandOver,
): Promise<boolean> {
  const rows = await runPrepared(db, HAND_OVER, {
    ...levelBindings([writes], { byEmail }),
    id,
    organizationId,
    version: view.version,
    access_version: view.accessVersion,
    now: view.now,
    oldest_ms: OLDEST_INSTANT_MS,
    agent_slug: agentSlug,
    ...{ cap, uncounted },
    route_source: route.source,
    route_scope: route.scope,
    route_block_id: route.blockId ?? null,
    route_reason: route.reason ?? null,
    path_revision: route.pathRevisionId ?? null,
    walk: plan.walk ?? null,
    next_at: plan.nextAt ?? null,
    urgency: plan.urgency,
    wake_at: plan.wakeAt,
    by_workflow: plan.byWorkflow,
  });
  return rows.length > 0;
}
