/** Sign-ins of members in a browser: `whs_` tokens in a cookie, kept as a hash. */
import type { AuthMethod } from '../domain/authorization.ts';
import { runPrepared, type Db, type PreparedStatement } from '../platform/postgres.ts';
import { MEMBER_COLUMNS, type MemberWithPolicies } from './memberships.ts';

/** Everything one call needs to know about the session it presents. */
export interface SessionHolder extends MemberWithPolicies {
  readonly sessionId: string;
  readonly tokenHash: Buffer;
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly authenticatedAt: Date;
  /** Proven again within the organization's re-authentication window, by the database's clock. */
  readonly fresh: boolean;
  /** Neither expired, idle for too long nor revoked, by the database's clock. */
  readonly valid: boolean;
  /** The last use on record is over a minute old. */
  readonly useIsStale: boolean;
}

const SESSION_HOLDER: PreparedStatement = {
  name: 'find-session-holder',
  sql: `select s.id as "sessionId", s.token_hash as "tokenHash", s.method, s.assurance, s.authenticated_at as "authenticatedAt",
            o.deleted_at is null and s.revoked_at is null and s.expires_at > clock_timestamp()
              and s.last_seen_at > clock_timestamp() - interval '24 hours' as valid,
            s.authenticated_at > clock_timestamp() - o.reauthentication_window_seconds * interval '1 second' as fresh,
            s.last_seen_at < clock_timestamp() - interval '1 minute' as "useIsStale",
            ${MEMBER_COLUMNS}
       from sessions s
       join memberships m on m.id = s.membership_id
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where s.id = :sessionId`,
};

/** The session with its member and policies in one round trip. */
export async function findSessionHolder(db: Db, sessionId: string): Promise<SessionHolder | undefined> {
  return (await runPrepared<SessionHolder>(db, SESSION_HOLDER, { sessionId }))[0];
}

export async function touchSession(db: Db, organizationId: string, sessionId: string): Promise<void> {
  await db('sessions')
    .where({ organization_id: organizationId, id: sessionId })
    .update({ last_seen_at: db.raw('clock_timestamp()') });
}

export interface NewSession {
  readonly id: string;
  readonly membershipId: string;
  readonly tokenHash: Buffer;
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly clientAddress: string;
  readonly userAgent: string;
  /** When the member proved who he is; now when absent or in the future. */
  readonly authenticatedAt?: Date | undefined;
}

/** Inserts a session of seven days. */
export async function insertSession(db: Db, organizationId: string, session: NewSession): Promise<void> {
  await db.raw(
    `insert into sessions (id, organization_id, membership_id, token_hash, method, assurance, client_address, user_agent,
                           authenticated_at, created_at, last_seen_at, expires_at)
     select :id, :organizationId, :membershipId, :tokenHash, :method, :assurance, :clientAddress, :userAgent,
            least(cast(:authenticatedAt as timestamptz), now), now, now, now + interval '7 days'
       from clock_timestamp() as now`,
    { organizationId, ...session, authenticatedAt: session.authenticatedAt ?? null },
  );
}

/** True when this call revoked it; false when it was revoked before. */
export async function revokeSession(db: Db, organizationId: string, sessionId: string): Promise<boolean> {
  const changed = await db('sessions')
    .where({ organization_id: organizationId, id: sessionId })
    .whereNull('revoked_at')
    .update({ revoked_at: db.raw('clock_timestamp()') });
  return changed === 1;
}
