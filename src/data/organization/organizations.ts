/** Organizations: the tenants that all other rows belong to. */
import type { Organization, OrganizationTerms } from '../../domain/organization/organizations.ts';
import type { HiddenNames } from '../../domain/shown/hidden-names.ts';
import { v7 } from 'uuid';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryOne, queryRow, runPrepared } from '../../platform/rows.ts';
import { PENDING } from '../people/invitations.ts';
import { insertChannel } from '../notifications/notification-channels.ts';

/**
 * Makes concurrent attempts to create the first organization wait for the transaction that came first.
 */
export async function lockBootstrap(trx: Trx): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('countersign.bootstrap', 0))`);
}

/** Deleted organizations do not count. */
export async function hasOrganization(db: Db): Promise<boolean> {
  return (await db('organizations').whereNull('deleted_at').first('id')) !== undefined;
}

export async function insertOrganization(
  trx: Trx,
  organizationId: string,
  names: { name: string; slug: string },
): Promise<void> {
  await trx('organizations').insert({
    id: organizationId,
    ...names,
    created_at: trx.raw('clock_timestamp()'),
  });
  await insertChannel(trx, organizationId, { id: v7(), kind: 'email', name: 'Email' });
}

const COLUMNS = `
  id, name, slug, revision, created_at, claim_timeout_seconds as claim_timeout,
  personal_api_keys_allowed, max_api_key_lifetime_seconds as max_api_key_lifetime,
  require_mfa, reauthentication_window_seconds as reauthentication_window,
  cast(agent_pending_percent as double precision) / 100 as agent_pending_share,
  hides_secret_names, hidden_names`;

type OrganizationRow = Omit<Organization, 'hiddenNames'> & HiddenNamesRow;

/** The columns of the names that hide values. */
export interface HiddenNamesRow {
  readonly hidesSecretNames: boolean;
  readonly hiddenNames: readonly string[];
}

export const toHiddenNames = ({ hidesSecretNames, hiddenNames }: HiddenNamesRow): HiddenNames => ({
  defaults: hidesSecretNames,
  add: hiddenNames,
});

function toOrganization(row: OrganizationRow | undefined): Organization | undefined {
  if (!row) return undefined;
  const { hidesSecretNames, hiddenNames, ...organization } = row;
  return { ...organization, hiddenNames: toHiddenNames({ hidesSecretNames, hiddenNames }) };
}

/** Undefined when the organization is deleted. */
export async function findOrganization(
  db: Db,
  organizationId: string,
): Promise<Organization | undefined> {
  return toOrganization(
    await queryRow<OrganizationRow>(
      db,
      `select ${COLUMNS} from organizations where id = :organizationId and deleted_at is null`,
      { organizationId },
    ),
  );
}

/**
 * SQL: the queue for an organization's access, until the transaction ends. Postgres lets new sharers of a row pass a writer that
 * waits for it. It lets none pass in the queue of an advisory lock. Take it before the row's lock.
 */
const accessQueue = (organization: string): string =>
  `hashtextextended('countersign.access:' || cast(${organization} as text), 0)`;

/** SQL: a table `access_turn` of one row. Reading it waits for changes of access that came before. */
export const accessTurn = (organization: string): string => `
  access_turn as materialized (select pg_advisory_xact_lock_shared(${accessQueue(organization)}))`;

/** SQL, true if no change of access is under way or waits. Then none begins until the transaction ends. */
export const triesAccessTurn = (organization: string): string =>
  `pg_try_advisory_xact_lock_shared(${accessQueue(organization)})`;

const EXCLUSIVE_ACCESS_TURN = `
  access_turn as materialized (select pg_advisory_xact_lock(${accessQueue(':organizationId')}))`;

/**
 * The organization, locked: changing it, deleting it, adding requests and changing anyone's access
 * wait for the end of the transaction. Lock it before any of its rows. Its access has a new version
 * afterwards, so that nothing is committed that was planned before (ADR 22).
 */
export async function lockAccess(
  trx: Trx,
  organizationId: string,
): Promise<Organization | undefined> {
  return toOrganization(
    await queryRow<OrganizationRow>(
      trx,
      `with ${EXCLUSIVE_ACCESS_TURN}
       update organizations set access_version = access_version + 1
         from access_turn
        where id = :organizationId and deleted_at is null
       returning ${COLUMNS}`,
      { organizationId },
    ),
  );
}

/**
 * Holds up what `lockAccess` does, for a count within the organization. Access does not change, so
 * what was planned before can still be committed.
 */
export async function lockAccessUnchanged(trx: Trx, organizationId: string): Promise<void> {
  await trx.raw(
    `with ${EXCLUSIVE_ACCESS_TURN}
     select 1 from organizations o, access_turn where o.id = :organizationId for no key update of o`,
    { organizationId },
  );
}

const LOCK_ACCESS_SHARED: PreparedStatement = {
  name: 'lock-access-shared',
  sql: `
  with ${accessTurn(':organizationId')}
  select 1 from organizations o, access_turn where o.id = :organizationId for share of o`,
};

/**
 * Makes changes of anyone's access wait for the end of the transaction. Others that take this lock
 * do not wait.
 */
export async function lockAccessShared(trx: Trx, organizationId: string): Promise<void> {
  await runPrepared(trx, LOCK_ACCESS_SHARED, { organizationId });
}

/**
 * SQL: a table `access` for statements that also lock or write other rows. Reading it does what
 * `lockAccessShared` does. It waits before the statement touches those rows.
 */
export const ACCESS_LOCKED_SHARED = `
  ${accessTurn(':organizationId')},
  access as materialized (
    select o.id from organizations o, access_turn where o.id = :organizationId for share of o)`;

/** Stores these terms and increments the revision. */
export async function updateOrganization(
  db: Db,
  organizationId: string,
  terms: OrganizationTerms,
): Promise<void> {
  await db('organizations')
    .where({ id: organizationId })
    .update({
      name: terms.name,
      claim_timeout_seconds: terms.claimTimeout,
      personal_api_keys_allowed: terms.personalApiKeysAllowed,
      max_api_key_lifetime_seconds: terms.maxApiKeyLifetime,
      require_mfa: terms.requireMfa,
      reauthentication_window_seconds: terms.reauthenticationWindow,
      agent_pending_percent: Math.round(terms.agentPendingShare * 100),
      hides_secret_names: terms.hiddenNames.defaults,
      hidden_names: [...terms.hiddenNames.add],
      revision: db.raw('revision + 1'),
    });
}

/** True when this call completed it, false when it was complete before. */
export async function completeOnboarding(db: Db, organizationId: string): Promise<boolean> {
  const changed = await db('organizations')
    .where({ id: organizationId })
    .whereNull('onboarding_completed_at')
    .update({ onboarding_completed_at: db.raw('clock_timestamp()') });
  return changed === 1;
}

/** How many rows of each kind the deletion of an organization ended. */
export interface Ended {
  readonly memberships: number;
  readonly sessions: number;
  readonly apiKeys: number;
  readonly invitations: number;
  readonly agentCredentials: number;
  readonly agentProvisioners: number;
}

/**
 * Marks the organization as deleted and ends its members, sessions, keys, invitations, credentials
 * and provisioner tokens. The rows stay.
 */
export async function endOrganization(trx: Trx, organizationId: string): Promise<Ended> {
  return await queryOne<Ended>(
    trx,
    `with clock as materialized (select clock_timestamp() as now),
     organization as (update organizations set deleted_at = now from clock where id = :organizationId),
     membership as (
       update memberships set status = 'deprovisioned', updated_at = now from clock
        where organization_id = :organizationId and status <> 'deprovisioned' returning 1
     ),
     session as (
       update sessions set revoked_at = now from clock where organization_id = :organizationId and revoked_at is null returning 1
     ),
     push_subscription as (
       delete from push_subscriptions p using memberships m where m.id = p.membership_id and m.organization_id = :organizationId
     ),
     api_key as (
       update api_keys
          set revoked_at = now, revocation_reason = case kind when 'personal' then 'membership_deprovisioned' else 'manual' end
         from clock where organization_id = :organizationId and revoked_at is null returning 1
     ),
     invitation as (
       update invitations i set revoked_at = now, updated_at = now from clock
        where i.organization_id = :organizationId and ${PENDING} returning 1
     ),
     agent_credential as (
       update agent_credentials set revoked_at = now from clock where organization_id = :organizationId and revoked_at is null returning 1
     ),
     agent_provisioner as (
       update agent_provisioners set revoked_at = now from clock where organization_id = :organizationId and revoked_at is null returning 1
     )
     select (select count(*) from membership) as memberships, (select count(*) from session) as sessions,
            (select count(*) from api_key) as api_keys, (select count(*) from invitation) as invitations,
            (select count(*) from agent_credential) as agent_credentials,
            (select count(*) from agent_provisioner) as agent_provisioners`,
    { organizationId },
  );
}
