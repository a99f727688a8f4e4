/**
 * Due levels of many requests in one statement. It writes only those requests for which nothing has
 * changed since they were read. `docs/adr/0014-late-levels-in-sets.md` argues why that is safe.
 */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import type { WalkPlan } from './escalate.ts';
import { levelBindings, WRITE_LEVELS, type LevelWrites } from './levels.ts';
import { REQUEST_TABLES, requestColumns, toRequest, type RequestRow } from './rows.ts';
import { tryRightsLockSharedOf } from './unreachable.ts';

/** A request whose next step is due, with what that step depends on. */
export interface DueLevel {
  /** Without what the agent sent: its documents are the text `null`. */
  readonly request: ApprovalRequest;
  /** Identifies the version of the row. Every change of the request writes the row. */
  readonly version: string;
  /** Identifies who may decide. Every change of anyone's access increments it. */
  readonly accessVersion: number;
  /** The instant of the step. */
  readonly now: Date;
}

const READ: PreparedStatement = {
  name: 'read-due-levels',
  sql: `
    select ${requestColumns((column) => `cast('null' as text) as ${column}`)},
           cast(r.xmin as text) as version, o.access_version,
           greatest(date_trunc('milliseconds', clock_timestamp()), r.last_at) as now
      from ${REQUEST_TABLES}
      join organizations o on o.id = r.organization_id
     where r.id = any(cast(:ids as uuid[])) and r.state = 'pending' and c.id is null
       and r.escalation_path_revision_id is not null and r.walk is not null
       and r.next_at <= greatest(clock_timestamp(), r.last_at)`,
};

/** Those among the requests that have a path and no claim, and whose next step is due. */
export async function readDueLevels(db: Db, ids: readonly string[]): Promise<DueLevel[]> {
  const rows = await runPrepared<RequestRow & Omit<DueLevel, 'request'>>(db, READ, {
    ids: [...ids],
  });
  return rows.map((row) => ({
    request: toRequest(row),
    version: row.version,
    accessVersion: row.accessVersion,
    now: row.now,
  }));
}

/** How old the instant of a level may be, since its wait counts from its notification. */
const OLDEST_INSTANT_MS = 2_000;

/**
 * Never waits: a row that is locked, or has another version by now, is not found, and nothing is
 * written for it.
 */
const STEP: PreparedStatement = {
  name: 'step-levels-unchanged',
  sql: `
    with planned as materialized (
      select * from unnest(cast(:ids as uuid[]), cast(:versions as text[]), cast(:organizations as uuid[]), cast(:access_versions as bigint[]),
                           cast(:instants as timestamptz[]), cast(:walks as text[]), cast(:next_steps as timestamptz[]), cast(:urgencies as text[]),
                           cast(:wakes as timestamptz[]), cast(:updates as timestamptz[]), cast(:new_steps as text[]))
               as p (id, version, organization_id, access_version, now, walk, next_at, urgency, wake_at, updated_at, new_step)
    ),
    organization as materialized (select distinct organization_id as id, access_version from planned),
    unchanged as materialized (
      select o.id, o.access_version
        from organizations o join organization on organization.id = o.id
       where o.access_version = organization.access_version
         for share of o skip locked
    ),
    access as materialized (select id, access_version from unchanged where ${tryRightsLockSharedOf('id')}),
    locked as materialized (
      select r.id, r.organization_id, r.deadline_at, p.now
        from planned p
        join access on access.id = p.organization_id and access.access_version = p.access_version
        join approval_requests r on r.id = p.id
       where r.xmin = cast(p.version as xid) and r.state = 'pending'
         and not exists (select from escalation_steps s where s.request_id = p.id and s.step_key = p.new_step)
       order by r.id
         for no key update of r skip locked
    ),
    ready as materialized (
      select id, organization_id, now from locked
       where clock_timestamp() < least(deadline_at, now + :oldest_ms * interval '1 millisecond')
    ),
    moved as (
      update approval_requests r
         set walk = cast(p.walk as json), next_at = p.next_at, urgency = p.urgency, wake_at = p.wake_at, last_at = p.now,
             updated_at = coalesce(p.updated_at, r.updated_at)
        from ready join planned p on p.id = ready.id
       where r.id = ready.id
      returning r.id
    ),
    ${WRITE_LEVELS}
    select id from moved`,
};

export interface LevelStep {
  readonly due: DueLevel;
  readonly plan: WalkPlan;
  readonly writes: LevelWrites;
}

/** Returns the requests it stepped. It leaves out those that changed since, or are being changed. */
export async function stepLevelsIfUnchanged(
  db: Db,
  steps: readonly LevelStep[],
  { byEmail }: { readonly byEmail: boolean },
): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(db, STEP, {
    ...levelBindings(
      steps.map(({ writes }) => writes),
      { byEmail },
    ),
    oldest_ms: OLDEST_INSTANT_MS,
    ids: steps.map(({ due }) => due.request.id),
    versions: steps.map(({ due }) => due.version),
    organizations: steps.map(({ due }) => due.request.organizationId),
    access_versions: steps.map(({ due }) => due.accessVersion),
    instants: steps.map(({ plan }) => plan.now.toISOString()),
    walks: steps.map(({ plan }) => plan.walk ?? null),
    next_steps: steps.map(({ plan }) => plan.nextAt?.toISOString() ?? null),
    urgencies: steps.map(({ plan }) => plan.urgency),
    wakes: steps.map(({ plan }) => plan.wakeAt.toISOString()),
    updates: steps.map(({ plan }) => (plan.noticeable ? plan.now.toISOString() : null)),
    new_steps: steps.map(({ writes }) => writes.level?.stepKey ?? null),
  });
  return rows.map(({ id }) => id);
}
