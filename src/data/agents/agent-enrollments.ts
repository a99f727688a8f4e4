/** Enrollments of machines. Both their codes are kept as hashes. */
import type { AgentEnrollment } from '../../domain/agents/agent-enrollments.ts';
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import { JsonText } from '../../platform/json/exact-json.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';
import { nameKey } from '../names.ts';
import { INSTANCE_COLUMNS, toInstance, type AgentInstanceRow } from './agent-instances.ts';

interface NewEnrollment extends Pick<
  AgentEnrollment,
  'id' | 'runtime' | 'requestedAgentSlug' | 'instanceName'
> {
  readonly codeHash: Buffer;
  readonly userCodeHash: Buffer;
  readonly instanceMetadata: string;
  readonly lifetimeSeconds: number;
}

/** Undefined when another enrollment has the user code. */
export async function insertEnrollment(
  db: Db,
  enrollment: NewEnrollment,
): Promise<{ readonly expiresAt: Date } | undefined> {
  return await queryRow(
    db,
    `insert into agent_enrollments
       (id, code_hash, user_code_hash, runtime, requested_agent_slug, instance_name, instance_metadata, created_at, expires_at)
     select :id, :codeHash, :userCodeHash, :runtime, :requestedAgentSlug, :instanceName, cast(:instanceMetadata as json),
            now, now + cast(:lifetimeSeconds as integer) * interval '1 second'
       from clock_timestamp() as now
     on conflict on constraint agent_enrollments_user_code_hash_key do nothing
     returning expires_at`,
    { ...enrollment },
  );
}

/** Neither expired nor exchanged, by the database's clock. */
const LIVE = 'e.exchanged_at is null and e.expires_at > clock_timestamp()';

type EnrollmentRow = Omit<AgentEnrollment, 'instanceMetadata'> & {
  readonly instanceMetadata: string;
};

/**
 * A live enrollment that is not authorized yet, or that this organization has authorized. Undefined
 * for any other code.
 */
export async function findEnrollmentByUserCode(
  db: Db,
  organizationId: string,
  userCodeHash: Buffer,
): Promise<AgentEnrollment | undefined> {
  const row = await queryRow<EnrollmentRow>(
    db,
    `select e.id, e.runtime, e.requested_agent_slug, e.instance_name, e.instance_metadata, e.expires_at,
            case when i.id is null then 'awaiting_authorization' else 'authorized' end as status
       from agent_enrollments e left join agent_instances i on i.id = e.agent_instance_id
      where e.user_code_hash = :userCodeHash and ${LIVE} and coalesce(i.organization_id = :organizationId, true)`,
    { organizationId, userCodeHash },
  );
  return row && { ...row, instanceMetadata: new JsonText(row.instanceMetadata) };
}

/** Locks a live enrollment that is not authorized. False when there is none any more. */
export async function lockUnauthorizedEnrollment(trx: Trx, id: string): Promise<boolean> {
  const row = await queryRow(
    trx,
    `select from agent_enrollments e where e.id = :id and e.agent_instance_id is null and ${LIVE} for update`,
    { id },
  );
  return row !== undefined;
}

/** Attaches the instance to a locked enrollment, and who gave it. */
export async function authorizeEnrollment(
  trx: Trx,
  {
    id,
    instanceId,
    membershipId,
  }: { readonly id: string; readonly instanceId: string; readonly membershipId: string },
): Promise<void> {
  await trx('agent_enrollments')
    .where({ id })
    .update({ agent_instance_id: instanceId, authorized_by_membership_id: membershipId });
}

/** The hash of an enrollment's code, and its agent once a person has authorized it. */
interface EnrollmentCode {
  readonly tokenHash: Buffer;
  readonly organizationId: string | null;
  readonly agentSlug: string | null;
}

export async function findEnrollmentCode(db: Db, id: string): Promise<EnrollmentCode | undefined> {
  return await queryRow(
    db,
    `select e.code_hash as token_hash, i.organization_id, i.agent_slug
       from agent_enrollments e left join agent_instances i on i.id = e.agent_instance_id
      where e.id = :id and ${LIVE}`,
    { id },
  );
}

/**
 * The instance of a live, authorized enrollment, with both rows locked. Undefined when there is none
 * any more. Lock the agent before.
 */
export async function lockEnrolledInstance(
  trx: Trx,
  id: string,
): Promise<{ readonly instance: AgentInstance; readonly authorizedBy: string | null } | undefined> {
  const row = await queryRow<AgentInstanceRow & { readonly authorizedBy: string | null }>(
    trx,
    `select ${INSTANCE_COLUMNS}, e.authorized_by_membership_id as authorized_by
       from agent_enrollments e
       join agent_instances i on i.id = e.agent_instance_id and i.deleted_at is null
       join organizations o on o.id = i.organization_id and o.deleted_at is null
      where e.id = :id and ${LIVE}
        for update of e for share of i`,
    { id },
  );
  if (!row) return undefined;
  const { authorizedBy, ...instance } = row;
  return { instance: toInstance(instance), authorizedBy };
}

/** Ends a locked enrollment without an exchange, as its deadline would. */
export async function endEnrollment(trx: Trx, id: string): Promise<void> {
  await trx('agent_enrollments')
    .where({ id })
    .update({ expires_at: trx.raw('clock_timestamp()') });
}

/** Uses up a locked enrollment, and returns the instant. */
export async function exchangeEnrollment(trx: Trx, id: string): Promise<Date> {
  const { exchangedAt } = await queryOne<{ exchangedAt: Date }>(
    trx,
    `update agent_enrollments set exchanged_at = clock_timestamp() where id = :id returning exchanged_at`,
    { id },
  );
  return exchangedAt;
}

/** Uses up what was authorized for an agent that is archived. Lock the agent before. */
export async function endEnrollmentsOfAgent(
  trx: Trx,
  organizationId: string,
  agentSlug: string,
): Promise<void> {
  await trx.raw(
    `update agent_enrollments e set exchanged_at = clock_timestamp()
       from agent_instances i
      where i.id = e.agent_instance_id and i.organization_id = :organizationId and i.agent_slug = :agentSlug and ${LIVE}`,
    { organizationId, agentSlug },
  );
}

/** The same for one instance that is deleted, and also for what has expired, which would remove the instance. */
export async function endEnrollmentsOfInstance(trx: Trx, instanceId: string): Promise<void> {
  await trx.raw(
    `update agent_enrollments set exchanged_at = clock_timestamp()
      where agent_instance_id = :instanceId and exchanged_at is null`,
    { instanceId },
  );
}

/** Deletes up to `limit` enrollments that expired over a day ago. Returns how many. */
export async function deleteOldEnrollments(db: Db, limit: number): Promise<number> {
  return await db('agent_enrollments')
    .whereRaw(
      `id in (
         select id from agent_enrollments where expires_at < clock_timestamp() - interval '1 day'
          order by expires_at limit :limit for update skip locked)`,
      { limit },
    )
    .delete();
}

/** An instance that was removed because its machine never came for its credential. */
export interface UnclaimedInstance {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly name: string;
}

/**
 * Deletes up to `limit` authorized enrollments that expired without an exchange, with their
 * instances, which have nothing yet. `of`: only that instance, if another transaction is not at it.
 */
export async function deleteUnclaimed(
  trx: Trx,
  {
    limit,
    of,
  }: {
    readonly limit: number;
    readonly of?: { organizationId: string; agentSlug: string; name: string };
  },
): Promise<readonly UnclaimedInstance[]> {
  const named = `and i.organization_id = :organizationId and i.agent_slug = :agentSlug and ${nameKey('i.name')} = ${nameKey(':name')}`;
  return await queryRows<UnclaimedInstance>(
    trx,
    `with expired as (
       select e.id, e.agent_instance_id from agent_enrollments e join agent_instances i on i.id = e.agent_instance_id
        where e.exchanged_at is null and e.expires_at <= clock_timestamp() ${of ? named : ''}
        order by e.expires_at limit :limit for update of e skip locked
     ), enrollments as (delete from agent_enrollments e using expired where e.id = expired.id),
     receiver as (delete from receivers r using expired where r.agent_instance_id = expired.agent_instance_id)
     delete from agent_instances i using expired where i.id = expired.agent_instance_id
     returning i.id, i.organization_id, i.agent_slug, i.name`,
    { limit, ...of },
  );
}
