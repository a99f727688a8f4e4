/** The receivers of instances. One row for each instance that has one. */
import { v7 } from 'uuid';
import type { StoredSecret } from '../../domain/sealed-secrets.ts';
import type { Receiver } from '../../domain/receivers/receivers.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';
import { PURGE_AT } from './receiver-events.ts';

export interface StoredReceiver extends Receiver {
  readonly host: string;
  /** Sealed for the instance. */
  readonly secret: StoredSecret;
}

/**
 * Gives a locked instance a receiver. Events that wait for the one before go to this one, and at once. Events that are being
 * sent follow when their attempt fails.
 */
export async function setReceiver(
  trx: Trx,
  instanceId: string,
  { url, host, registrationId, secret }: StoredReceiver,
): Promise<void> {
  await trx.raw(
    `with receiver as (
       insert into receivers (agent_instance_id, queue_id, url, host, registration_id, signing_secret, signing_secret_key_id, verified_at)
       values (:instanceId, :queueId, :url, :host, :registrationId, :sealed, :keyId, clock_timestamp())
       on conflict on constraint receivers_pkey do update
         set url = excluded.url, host = excluded.host, registration_id = excluded.registration_id,
             signing_secret = excluded.signing_secret, signing_secret_key_id = excluded.signing_secret_key_id,
             verified_at = excluded.verified_at
       returning queue_id
     ),
     idle as (
       select e.id from receiver_events e join receiver on receiver.queue_id = e.queue_id
        where e.next_attempt_at is not null and e.lease is null
          for update of e skip locked
     )
     update receiver_events e set next_attempt_at = least(e.next_attempt_at, clock_timestamp()) from idle where e.id = idle.id`,
    {
      instanceId,
      queueId: v7(),
      url,
      host,
      registrationId,
      sealed: secret.sealed,
      keyId: secret.keyId,
    },
  );
}

/**
 * Takes the receiver away from a locked instance. Nothing that waits for it is sent any more. The sender ends the events that
 * are being sent, and those of decisions that are committed at the same time.
 */
export async function removeReceiver(trx: Trx, instanceId: string): Promise<void> {
  await trx.raw(
    `with removed as (delete from receivers where agent_instance_id = :instanceId returning queue_id),
     idle as (
       select e.id from receiver_events e join removed on removed.queue_id = e.queue_id
        where e.next_attempt_at is not null and e.lease is null
          for update of e skip locked
     )
     update receiver_events e
        set next_attempt_at = null, outcome = 'removed', ended_at = now, purge_at = ${PURGE_AT}
       from idle, clock_timestamp() as now where e.id = idle.id`,
    { instanceId },
  );
}

/** Undefined for an instance without one. */
export async function findReceiver(db: Db, instanceId: string): Promise<Receiver | undefined> {
  return await queryRow<Receiver>(
    db,
    'select url, registration_id from receivers where agent_instance_id = :instanceId',
    { instanceId },
  );
}
