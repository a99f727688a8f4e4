/**
 * The credential of a person who changes a request. A session or a key can end at any time, without the lock of access. So a
 * commit holds its row shared, and what ends it waits. A link of Slack ends under the lock of access only.
 */
import { credentialIdOf, type MemberPrincipal } from '../../../domain/people/authorization.ts';
import type { Trx } from '../../../platform/postgres.ts';
import { type Bindings, type PreparedStatement, runPrepared } from '../../../platform/rows.ts';
import { LIVE_API_KEY } from '../../people/api-keys.ts';
import { LIVE_SESSION } from '../../sign-in/sessions.ts';
import { CREDENTIAL } from './tables.ts';

export type CredentialKind = MemberPrincipal['via']['kind'];

/** SQL: one row while the credential is the one that was read. */
const CREDENTIALS: Readonly<Record<CredentialKind, string>> = {
  session: `
    select from sessions s where s.id = cast(:credential as uuid) and ${LIVE_SESSION}
       and s.method = :auth_method and s.assurance = :auth_assurance and s.authenticated_at = :authenticated_at
       for share skip locked`,
  api_key: `
    select from api_keys k where k.id = cast(:credential as uuid) and ${LIVE_API_KEY} for share skip locked`,
  slack: `
    select from slack_links l where l.membership_id = cast(:caller as uuid) and l.slack_user_id = :credential`,
};

/** SQL: the table `CREDENTIAL`, held until the transaction ends. It is empty when the credential has ended, or is changing. */
export const heldCredential = (kind: CredentialKind): string => `
  ${CREDENTIAL.table} as materialized (${CREDENTIALS[kind]}
  )`;

export function credentialBindings(caller: MemberPrincipal): Bindings {
  const { via, auth } = caller;
  return {
    credential: credentialIdOf(caller),
    ...(via.kind === 'slack' && { caller: caller.membershipId }),
    ...(via.kind === 'session' && {
      auth_method: auth.method,
      auth_assurance: auth.assurance,
      authenticated_at: auth.authenticated_at,
    }),
  };
}

const LOCKS: Readonly<Record<Exclude<CredentialKind, 'slack'>, PreparedStatement>> = {
  session: {
    name: 'lock-session-shared',
    sql: 'select from sessions where id = cast(:credential as uuid) for share',
  },
  api_key: {
    name: 'lock-api-key-shared',
    sql: 'select from api_keys where id = cast(:credential as uuid) for share',
  },
};

/** Holds the caller's credential, after all other locks. Reading the caller again then says whether it has ended. */
export async function lockCredential(trx: Trx, caller: MemberPrincipal): Promise<void> {
  const { kind } = caller.via;
  if (kind !== 'slack') await runPrepared(trx, LOCKS[kind], { credential: credentialIdOf(caller) });
}
