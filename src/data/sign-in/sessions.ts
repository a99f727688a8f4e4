/** Browser sessions of members: `whs_` tokens in a cookie, stored as a hash. */
import {
  SESSION_DAYS,
  type SessionRecord,
  type SessionTimes,
} from '../../domain/sign-in/sessions.ts';
import type { AuthMethod } from '../../domain/people/authorization.ts';
import type { Db } from '../../platform/postgres.ts';
import {
  type PreparedStatement,
  queryOne,
  queryRow,
  queryRows,
  runPrepared,
} from '../../platform/rows.ts';
import { MEMBER_COLUMNS, type MemberWithPolicies } from '../people/memberships.ts';

/** Everything a call needs to know about its session. */
export interface SessionHolder extends MemberWithPolicies {
  readonly sessionId: string;
  readonly tokenHash: Buffer;
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly authenticatedAt: Date;
  /** Authenticated within the organization's re-authentication window, by the database's clock. */
  readonly isRecent: boolean;
  /** Not expired, idle for too long or revoked, by the database's clock. */
  readonly valid: boolean;
  /** The recorded last use is more than a minute old. */
  readonly useIsStale: boolean;
}

const LONGEST_IDLE = `interval '24 hours'`;
/** A use is recorded once the recorded one is older than this. */
const RECORDED_EVERY = `interval '1 minute'`;

/** SQL: the session `s` is not revoked, expired or idle for too long. */
export const LIVE_SESSION = `
  s.revoked_at is null and s.expires_at > clock_timestamp() and s.last_seen_at > clock_timestamp() - ${LONGEST_IDLE}`;

/** SQL, of session `s` of organization `o`. */
const FRESH_UNTIL = `s.authenticated_at + o.reauthentication_window_seconds * interval '1 second'`;

/** SQL: a revoked session gets no push messages any more; one that only expires still does. */
const UNSUBSCRIBE = `delete from push_subscriptions where session_id in (select id from revoked)`;

const SESSION_HOLDER: PreparedStatement = {
  name: 'find-session-holder',
  sql: `select s.id as session_id, s.token_hash, s.method, s.assurance, s.authenticated_at,
            o.deleted_at is null and ${LIVE_SESSION} as valid,
            ${FRESH_UNTIL} > clock_timestamp() as is_recent,
            s.last_seen_at < clock_timestamp() - ${RECORDED_EVERY} as use_is_stale,
            ${MEMBER_COLUMNS}
       from sessions s
       join memberships m on m.id = s.membership_id
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where s.id = :sessionId`,
};

/** Reads the session with its member and policies in one round trip. */
export async function findSessionHolder(
  db: Db,
  sessionId: string,
): Promise<SessionHolder | undefined> {
  return (await runPrepared<SessionHolder>(db, SESSION_HOLDER, { sessionId }))[0];
}

/** The times of a session that is calling. A use counts before it is recorded. */
export async function findSessionTimes(
  db: Db,
  organizationId: string,
  { id, background }: { readonly id: string; readonly background: boolean },
): Promise<SessionTimes> {
  return await queryOne<SessionTimes>(
    db,
    `select s.expires_at, ${FRESH_UNTIL} as fresh_until,
            least(s.expires_at, ${LONGEST_IDLE} + case when :background then s.last_seen_at
              else greatest(s.last_seen_at, clock_timestamp() - ${RECORDED_EVERY}) end) as idle_expires_at
       from sessions s join organizations o on o.id = s.organization_id
      where s.organization_id = :organizationId and s.id = :id`,
    { organizationId, id, background },
  );
}

export async function touchSession(
  db: Db,
  organizationId: string,
  sessionId: string,
): Promise<void> {
  await db('sessions')
    .where({ organization_id: organizationId, id: sessionId })
    .update({ last_seen_at: db.raw('clock_timestamp()') });
}

interface NewSession {
  readonly id: string;
  readonly membershipId: string;
  readonly tokenHash: Buffer;
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly clientAddress: string;
  readonly userAgent: string;
  /** When the member authenticated; now when absent or in the future. */
  readonly authenticatedAt?: Date | undefined;
}

/** Inserts a session of `SESSION_DAYS`, and purges some that ended over 90 days ago. */
export async function insertSession(
  db: Db,
  organizationId: string,
  session: NewSession,
): Promise<void> {
  await db.raw(
    `with purged as (
       delete from sessions where id in (
         select id from sessions where expires_at < statement_timestamp() - interval '90 days'
          order by expires_at limit 10 for update skip locked)
     )
     insert into sessions (id, organization_id, membership_id, token_hash, method, assurance, client_address, user_agent,
                           authenticated_at, created_at, last_seen_at, expires_at)
     select :id, :organizationId, :membershipId, :tokenHash, :method, :assurance, :clientAddress, :userAgent,
            least(cast(:authenticatedAt as timestamptz), now), now, now, now + interval '${SESSION_DAYS} days'
       from clock_timestamp() as now`,
    { organizationId, ...session, authenticatedAt: session.authenticatedAt ?? null },
  );
}

interface RenewedSession {
  readonly id: string;
  /**
   * The hash of the presented secret. It no longer matches when another call renewed the session.
   */
  readonly presentedHash: Buffer;
  readonly tokenHash: Buffer;
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
}

/**
 * Gives a live session a new secret and makes its authentication recent. Returns the time;
 * undefined when the session ended or changed.
 */
export async function renewSession(
  db: Db,
  organizationId: string,
  renewed: RenewedSession,
): Promise<Date | undefined> {
  const row = await queryRow<{ authenticatedAt: Date }>(
    db,
    `update sessions s
        set token_hash = :tokenHash, method = :method, assurance = :assurance,
            authenticated_at = clock_timestamp(), last_seen_at = clock_timestamp()
      where s.organization_id = :organizationId and s.id = :id and s.token_hash = :presentedHash and ${LIVE_SESSION}
     returning s.authenticated_at`,
    { organizationId, ...renewed },
  );
  return row?.authenticatedAt;
}

export interface SessionPage {
  readonly membershipId: string;
  readonly limit: number;
  /** The last session of the previous page. */
  readonly after?: { readonly lastSeenAt: Date; readonly id: string } | undefined;
}

/** The live sessions of a member, most recently used first. */
export async function listLiveSessions(
  db: Db,
  organizationId: string,
  page: SessionPage,
): Promise<SessionRecord[]> {
  return await queryRows<SessionRecord>(
    db,
    `select s.id, s.method, s.assurance, s.created_at, s.last_seen_at,
            s.authenticated_at, s.expires_at,
            s.client_address, s.user_agent
       from sessions s
      where s.organization_id = :organizationId and s.membership_id = :membershipId and ${LIVE_SESSION}
        and (cast(:lastSeenAt as timestamptz) is null or (s.last_seen_at, s.id) < (:lastSeenAt, cast(:afterId as uuid)))
      order by s.last_seen_at desc, s.id desc
      limit :limit`,
    {
      organizationId,
      membershipId: page.membershipId,
      limit: page.limit,
      lastSeenAt: page.after?.lastSeenAt ?? null,
      afterId: page.after?.id ?? null,
    },
  );
}

/** The id of a current or former session of the member. */
export async function findSessionOf(
  db: Db,
  organizationId: string,
  { id, membershipId }: { readonly id: string; readonly membershipId: string },
): Promise<string | undefined> {
  const row = (await db('sessions')
    .where({ organization_id: organizationId, membership_id: membershipId, id })
    .first('id')) as { id: string } | undefined;
  return row?.id;
}

/** Revokes all live sessions of a member except one. Returns their ids. */
export async function revokeSessionsOf(
  db: Db,
  organizationId: string,
  { membershipId, exceptId }: { readonly membershipId: string; readonly exceptId?: string },
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    `with revoked as (
       update sessions s set revoked_at = clock_timestamp()
        where s.organization_id = :organizationId and s.membership_id = :membershipId
          and s.id is distinct from cast(:exceptId as uuid) and ${LIVE_SESSION}
       returning s.id
     ),
     unsubscribed as (${UNSUBSCRIBE})
     select id from revoked`,
    { organizationId, membershipId, exceptId: exceptId ?? null },
  );
  return rows.map(({ id }) => id);
}

/** Returns false when the session was revoked before. */
export async function revokeSession(
  db: Db,
  organizationId: string,
  sessionId: string,
): Promise<boolean> {
  const revoked = await queryRows<{ id: string }>(
    db,
    `with revoked as (
       update sessions set revoked_at = clock_timestamp()
        where organization_id = :organizationId and id = :sessionId and revoked_at is null
       returning id
     ),
     unsubscribed as (${UNSUBSCRIBE})
     select id from revoked`,
    { organizationId, sessionId },
  );
  return revoked.length === 1;
}
