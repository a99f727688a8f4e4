/**
 * Writes what was planned for requests, in one statement for any number of them. It writes nothing for a request that has
 * changed since it was read, that is being changed, or whose plan is old. It waits for no row.
 */
import type { MemberPrincipal } from '../../../domain/people/authorization.ts';
import {
  isFinalNow,
  isReportedNow,
  isRoutedNow,
  isShown,
  isStartedNow,
  type Effects,
} from '../../../domain/requests/engine/effects.ts';
import type { Db } from '../../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../../platform/rows.ts';
import { triesAccessTurn } from '../../organization/organizations.ts';
import { isFarFromCaps } from '../pending-caps.ts';
import {
  claimRows,
  CLAIMS,
  decisionRows,
  DECISIONS,
  eventRows,
  EVENTS,
  isClaimed,
  notificationRows,
  NOTIFICATIONS,
  PLANNED,
  plannedRow,
  resultRows,
  RESULTS,
  reviewerRows,
  REVIEWERS,
  ROUTED,
  startRows,
  STARTS,
  stepRows,
  STEPS,
} from './commit-tables.ts';
import { credentialBindings, heldCredential, type CredentialKind } from './credential.ts';
import { ANNOUNCE_DECISION, WITHDRAW_QUESTIONS } from './decision.ts';
import { OUTBOX } from './outbox.ts';
import { recordDecisions, recordEvents } from './records.ts';
import { ANNOUNCING, CREDENTIAL, NEWLY_NOTIFIED, READY } from './tables.ts';

/** What must be as it was read, besides the request's row. */
export interface Guard {
  /** `access`: no one's rights have changed. A member: their credential is also live, and stays live until the commit. */
  readonly depends: 'row' | 'access' | MemberPrincipal;
  /** For a hand-over: the most requests that may wait. Absent when they were counted under a lock. */
  readonly cap?: number;
  /** This deployment sends email. */
  readonly byEmail: boolean;
}

/** The parts of a statement. Plans without a part have a shorter statement. */
interface Parts {
  readonly access: boolean;
  readonly credential: CredentialKind | undefined;
  /** `counted`: who waits was counted under a lock. `uncounted`: the statement looks whether few enough wait. */
  readonly routes: 'no' | 'counted' | 'uncounted';
  readonly decides: boolean;
  readonly notifies: boolean;
  readonly claims: boolean;
  readonly adds: boolean;
  readonly removes: boolean;
  readonly starts: boolean;
  readonly reports: boolean;
  readonly shown: boolean;
}

/** Each organization once, so that only its own lock is tried for it. */
const ACCESS = `
  organization as materialized (select distinct organization_id as id from planned),
  access_turn as materialized (select id from organization where ${triesAccessTurn('id')}),
  access as materialized (
    select o.id, o.agent_pending_percent from organizations o join access_turn on access_turn.id = o.id
     where exists (select from planned p where p.organization_id = o.id and p.access_version = o.access_version)
       for share of o skip locked
  )`;

/**
 * There is no limit, but the planner cannot know that. So it estimates one row instead of ten, and uses an index. For ten rows,
 * it would read all of a small table, and keep that plan while the table grows.
 */
const plannedTable = ({ routes }: Parts): string => `
  planned as materialized (
    select * from ${routes === 'no' ? PLANNED.sql : ROUTED.sql} limit (select cast(null as bigint))
  )`;

const PATH = `
  path as materialized (
    select v.id as revision
      from planned
      join access a on a.id = planned.organization_id
      join escalation_path_revisions v on v.id = planned.path_revision
      join escalation_paths p on p.id = v.escalation_path_id and p.active_revision = v.revision
       for share of p skip locked
  )`;

/**
 * Other tables than the locked ones are read as of the start of the statement. So everything that can change them changes a
 * version compared here, or waits for a row that is held here.
 */
const locking = ({ access, credential, routes, removes }: Parts): string => `
  locked as materialized (
    select p.*, r.agent_slug, r.agent_instance_id, r.admitted
      from planned p join approval_requests r on r.id = p.id
     where r.xmin = cast(p.version as xid)
       ${access ? 'and exists (select from access a where a.id = r.organization_id)' : ''}
       ${
         routes === 'no'
           ? ''
           : `and p.route_source is not null
       and (p.path_revision is null or exists (select from path where path.revision = p.path_revision))`
       }
     order by r.id for ${removes ? 'update' : 'no key update'} of r skip locked
  ),
  ${READY.table} as materialized (
    select l.* from locked l
     where clock_timestamp() < least(l.valid_until, l.read_at + interval '2 seconds')
       ${credential ? `and exists (select from ${CREDENTIAL.table})` : ''}
       ${routes === 'uncounted' ? `and (l.admitted or exists (select from access o where ${isFarFromCaps('l.agent_slug')}))` : ''}
  )`;

const REMOVE = `
  changed as (delete from approval_requests r using ${READY.table} where r.id = ${READY.id} returning r.id)`;

const STARTED = `, started_at = p.now,
           (started_by_instance_id, start_key) =
             (select start.instance_id, start.key from ${STARTS.sql} where start.request_id = p.id)`;

const REPORTED = `, result_at = p.now,
           (result_outcome, result_detail, result_arguments_digest) =
             (select result.outcome, result.detail, result.arguments_digest from ${RESULTS.sql} where result.request_id = p.id)`;

const update = ({ routes, starts, reports, shown }: Parts): string => `
  changed as (
    update approval_requests r
       set state = p.state, walk = cast(p.walk as json), next_at = p.next_at, urgency = p.urgency,
           wake_at = p.wake_at, wake_attempts = p.wake_attempts, last_at = p.now${shown ? ', updated_at = p.updated_at' : ''}${starts ? STARTED : ''}${reports ? REPORTED : ''}
           ${
             routes === 'no'
               ? ''
               : `, routed_at = p.now, route_source = p.route_source, route_scope = p.route_scope,
           route_block_id = p.route_block_id, route_reason = p.route_reason, escalation_path_revision_id = p.path_revision`
           }
      from ${READY.table} p where r.id = p.id
    returning r.id
  )`;

/** The new claim waits for the end of the old one: a request has one live claim. */
const CLAIM = `
  claim_ended as (
    update claims c set ended_at = p.now from ${READY.table} p
     where c.id = p.ended_claim and c.ended_at is null
    returning c.id
  ),
  claim_begun as (
    insert into claims (id, organization_id, request_id, membership_id, display_name, claimed_at, expires_at)
    select claim.id, ${READY.organization_id}, ${READY.id}, claim.membership_id, claim.display_name, ${READY.now}, claim.expires_at
      from ${CLAIMS.sql} join ${READY.table} on ${READY.id} = claim.request_id
     where (select count(*) from claim_ended) >= 0
  )`;

const ADD_REVIEWERS = `
  added as (
    insert into added_reviewers (request_id, membership_id, added_by_membership_id, added_at)
    select ${READY.id}, reviewer.membership_id, reviewer.added_by, ${READY.now} from ${REVIEWERS.sql} join ${READY.table} on ${READY.id} = reviewer.request_id
  )`;

const NOTIFY = `
  visited as (
    insert into escalation_steps (request_id, step_key, run, node_id, team_id, kind, at, escalate_at)
    select ${READY.id}, step.step_key, step.run, step.node_id, step.team_id, step.kind, ${READY.now}, step.escalate_at
      from ${STEPS.sql} join ${READY.table} on ${READY.id} = step.request_id
    on conflict on constraint escalation_steps_pkey do update set kind = excluded.kind, escalate_at = excluded.escalate_at
  ),
  notification as materialized (select * from ${NOTIFICATIONS.sql}),
  notified as (
    insert into notifications (id, organization_id, request_id, step_key, membership_id, created_at)
    select n.id, ${READY.organization_id}, ${READY.id}, n.step_key, n.membership_id, ${READY.now}
      from notification n join ${READY.table} on ${READY.id} = n.request_id
    returning id, request_id, organization_id, membership_id, step_key
  ),
  ${NEWLY_NOTIFIED.table} as materialized (
    select notified.*, ${READY.table}.urgency
      from notified join notification n on n.id = notified.id and n.is_sent join ${READY.table} on ${READY.id} = notified.request_id),
  ${ANNOUNCING.table} as materialized (select notified.* from notified join notification n on n.id = notified.id and n.is_announced),
  ${OUTBOX}`;

const DECIDE = `
  ${recordDecisions(DECISIONS.sql)},
  ${WITHDRAW_QUESTIONS},
  ${ANNOUNCE_DECISION}`;

const statements = new Map<string, PreparedStatement>();

function statementOf(parts: Parts): PreparedStatement {
  const name = nameOf(parts);
  const known = statements.get(name);
  if (known) return known;
  const tables = [
    plannedTable(parts),
    parts.access && ACCESS,
    parts.credential !== undefined && heldCredential(parts.credential),
    parts.routes !== 'no' && PATH,
    locking(parts),
    parts.removes ? REMOVE : update(parts),
    parts.claims && CLAIM,
    parts.adds && ADD_REVIEWERS,
    parts.notifies && NOTIFY,
    parts.decides && DECIDE,
    recordEvents(EVENTS.sql),
  ];
  const sql = `with ${tables.filter((table) => table !== false).join(',\n')} select id from changed`;
  const statement = { name, sql };
  statements.set(name, statement);
  return statement;
}

/** Such as `commit-session-access-decides-shown`. Names of prepared statements have at most 63 characters. */
function nameOf({ credential, routes, ...parts }: Parts): string {
  const has = Object.entries(parts).flatMap(([part, isThere]) => (isThere ? [part] : []));
  return ['commit', credential ?? '', routes === 'no' ? '' : routes, ...has]
    .filter((part) => part !== '')
    .join('-');
}

function partsOf(planned: readonly Effects[], { depends, cap }: Guard): Parts {
  const some = (holds: (effects: Effects) => boolean) => planned.some(holds);
  const routes = some(isRoutedNow);
  return {
    access: depends !== 'row',
    credential: typeof depends === 'string' ? undefined : depends.via.kind,
    routes: routes ? (cap === undefined ? 'counted' : 'uncounted') : 'no',
    decides: some(isFinalNow),
    notifies: some(({ steps }) => steps.length > 0),
    claims: some((effects) => effects.endedClaim !== undefined || isClaimed(effects)),
    adds: some(({ addedReviewers }) => addedReviewers !== undefined),
    removes: some(({ isRemoved }) => isRemoved),
    starts: some(isStartedNow),
    reports: some(isReportedNow),
    shown: some(isShown),
  };
}

/**
 * Commits plans of one kind of change. Returns the requests for which it wrote. The others are as they were: read and plan
 * them again.
 */
export async function commit(
  db: Db,
  planned: readonly Effects[],
  guard: Guard,
): Promise<ReadonlySet<string>> {
  if (planned.length === 0) return new Set();
  const parts = partsOf(planned, guard);
  const rows = await runPrepared<{ id: string }>(db, statementOf(parts), {
    ...(parts.routes === 'no' ? PLANNED : ROUTED).bindings(planned.map(plannedRow)),
    ...EVENTS.bindings(planned.flatMap(eventRows)),
    ...(typeof guard.depends !== 'string' && credentialBindings(guard.depends)),
    ...(parts.routes === 'uncounted' && { cap: guard.cap }),
    ...(parts.claims && CLAIMS.bindings(planned.flatMap(claimRows))),
    ...(parts.starts && STARTS.bindings(planned.flatMap(startRows))),
    ...(parts.reports && RESULTS.bindings(planned.flatMap(resultRows))),
    ...(parts.adds && REVIEWERS.bindings(planned.flatMap(reviewerRows))),
    ...(parts.notifies && {
      by_email: guard.byEmail,
      ...STEPS.bindings(planned.flatMap(stepRows)),
      ...NOTIFICATIONS.bindings(planned.flatMap(notificationRows)),
    }),
    ...(parts.decides && DECISIONS.bindings(planned.flatMap(decisionRows))),
  });
  return new Set(rows.map(({ id }) => id));
}
