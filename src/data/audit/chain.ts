/** The chain of each organization's audit events, and the statements that add to it. */
import {
  EMPTY_CHAIN,
  type ChainEntry,
  type ChainHead,
  type StoredEvent,
} from '../../domain/audit/chain.ts';
import {
  NO_CHECKPOINTS,
  tailAfter,
  type CheckpointTail,
  type LastCheckpoint,
} from '../../domain/audit/checkpoints.ts';
import type { SignedEnd } from '../../domain/audit/signed-ends.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** Where a chain ends, and its newest checkpoint. */
export interface ChainEnd {
  readonly organizationId: string;
  readonly head: ChainHead;
  readonly last: LastCheckpoint;
  readonly tail: CheckpointTail;
  /** The newest checkpoint. */
  readonly signed: SignedEnd | undefined;
}

/** Locks the chains that no other transaction has locked until the end of this one. Never waits. */
export async function tryLockChains(
  trx: Trx,
  organizationIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string; isLocked: boolean }>(
    trx,
    `select id, pg_try_advisory_xact_lock(hashtextextended('countersign.audit_chain:' || id, 0)) as is_locked
       from unnest(cast(:organizationIds as text[])) as o (id)`,
    { organizationIds },
  );
  return rows.flatMap(({ id, isLocked }) => (isLocked ? [id] : []));
}

interface EndRow {
  organizationId: string;
  position: number | null;
  hash: Buffer | null;
  checkpointPosition: number | null;
  checkpointHash: Buffer | null;
  checkpointAt: Date | null;
  number: number | null;
  previous: Buffer | null;
  greatestNumber: number | null;
  now: Date;
}

/**
 * Call it in a statement after the locks, so that it sees what their last holders committed. The clock is never before the
 * floor.
 */
export async function readChainEnds(
  db: Db,
  organizationIds: readonly string[],
  floor: Date | undefined,
): Promise<{ readonly ends: readonly ChainEnd[]; readonly now: Date }> {
  const rows = await queryRows<EndRow>(
    db,
    `select cast(o.id as text) as organization_id, c.position, c.hash, p.position as checkpoint_position, p.hash as checkpoint_hash,
            p.at as checkpoint_at, p.number, p.previous, n.number as greatest_number,
            greatest(clock_timestamp(), cast(:floor as timestamptz)) as now
       from unnest(cast(:organizationIds as uuid[])) as o (id)
       left join lateral (select position, hash from audit_chain where organization_id = o.id order by position desc limit 1) c on true
       left join lateral (select position, hash, at, number, previous from audit_checkpoints where organization_id = o.id order by position desc limit 1) p on true
       left join lateral (select max(number) as number from audit_checkpoints where organization_id = o.id) n on true`,
    { organizationIds, floor: floor?.toISOString() ?? null },
  );
  const ends = rows.map((row) => ({
    organizationId: row.organizationId,
    head:
      row.position === null || row.hash === null
        ? EMPTY_CHAIN
        : { position: row.position, hash: row.hash },
    last: { position: row.checkpointPosition ?? 0, at: row.checkpointAt ?? undefined },
    tail: tailOf(row),
    signed:
      row.checkpointPosition === null || row.checkpointHash === null
        ? undefined
        : { position: row.checkpointPosition, hash: row.checkpointHash, tail: tailOf(row) },
  }));
  return { ends, now: rows[0]?.now ?? new Date() };
}

function tailOf({ organizationId, number, previous, ...row }: EndRow): CheckpointTail {
  const { checkpointPosition: position, checkpointHash: hash, checkpointAt: at } = row;
  if (position === null || hash === null || at === null) return NO_CHECKPOINTS;
  const link = number === null || previous === null ? undefined : { number, previous };
  const before = { ...NO_CHECKPOINTS, number: row.greatestNumber ?? 0 };
  return tailAfter(before, { organizationId, position, hash, at, link });
}

/** The columns of a `StoredEvent`, of the table `e`. */
export const EVENT_COLUMNS = `e.sequence, e.id, e.organization_id, e.event_type, e.actor_type, e.actor_id, e.actor_display_name,
  e.subject_type, e.subject_id, e.data, e.occurred_at`;

/** The events of locked chains that have no entry, in order. Both sides are bounded, whatever the log's length. */
export async function readUnsealed(
  trx: Trx,
  {
    from,
    to,
    organizationIds,
  }: { readonly from: number; readonly to: number; readonly organizationIds: readonly string[] },
): Promise<StoredEvent[]> {
  return await queryRows<StoredEvent>(
    trx,
    `select ${EVENT_COLUMNS}
       from audit_events e
      where e.sequence > :from and e.sequence <= :to and e.organization_id = any (cast(:organizationIds as uuid[]))
        and not exists (select from audit_chain c
                         where c.event_sequence = e.sequence and c.event_sequence > :from and c.event_sequence <= :to)
      order by e.sequence`,
    { from, to, organizationIds },
  );
}

export interface SealedEvent extends ChainEntry {
  readonly event: StoredEvent;
}

export async function insertEntries(trx: Trx, sealed: readonly SealedEvent[]): Promise<void> {
  if (sealed.length === 0) return;
  await trx.raw(
    `insert into audit_chain (organization_id, position, event_sequence, leaf, hash)
     select organization_id, position, event_sequence, decode(leaf, 'hex'), decode(hash, 'hex')
       from unnest(cast(:organizations as uuid[]), cast(:positions as bigint[]), cast(:sequences as bigint[]),
                   cast(:leaves as text[]), cast(:hashes as text[])) as e (organization_id, position, event_sequence, leaf, hash)`,
    {
      organizations: sealed.map(({ event }) => event.organizationId),
      positions: sealed.map(({ position }) => position),
      sequences: sealed.map(({ event }) => event.sequence),
      leaves: sealed.map(({ leaf }) => leaf.toString('hex')),
      hashes: sealed.map(({ hash }) => hash.toString('hex')),
    },
  );
}
