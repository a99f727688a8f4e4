/** Reads a whole audit log in batches. What was fixed at the beginning stays so, because nothing is ever changed or deleted. */
import {
  EMPTY_CHAIN,
  type ChainEntry,
  type ChainHead,
  type StoredEvent,
} from '../../domain/audit/chain.ts';
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';
import { EVENT_COLUMNS } from './chain.ts';
import { CHECKPOINT_COLUMNS, checkpointOf, type CheckpointRow } from './checkpoints.ts';
import type { FilterSql } from './filters.ts';

/** What an export with proof contains. */
export interface ProofExtent {
  readonly now: Date;
  readonly end: ChainHead;
  /** The position of the newest checkpoint, 0 without one. Later ones are of later positions. */
  readonly lastCheckpoint: number;
  readonly checkpoints: number;
}

interface ExtentRow {
  now: Date;
  position: number | null;
  hash: Buffer | null;
  lastCheckpoint: number;
  checkpoints: number;
}

export async function readProofExtent(db: Db, organizationId: string): Promise<ProofExtent> {
  const { position, hash, ...row } = await queryOne<ExtentRow>(
    db,
    `select clock_timestamp() as now, c.position, c.hash, p.last_checkpoint, p.checkpoints
       from (select coalesce(max(position), 0) as last_checkpoint, count(*) as checkpoints
               from audit_checkpoints where organization_id = :organizationId) p
       left join lateral (select position, hash from audit_chain
                           where organization_id = :organizationId order by position desc limit 1) c on true`,
    { organizationId },
  );
  return { ...row, end: position === null || hash === null ? EMPTY_CHAIN : { position, hash } };
}

/** How many of the sealed events up to a position match. */
export async function countSealed(
  db: Db,
  organizationId: string,
  { upTo, filter }: { readonly upTo: number; readonly filter: FilterSql },
): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    db,
    `select count(*) as count from audit_chain c join audit_events e on e.sequence = c.event_sequence
      where c.organization_id = :organizationId and c.position <= :upTo and e.organization_id = :organizationId${filter.sql}`,
    { ...filter.bindings, organizationId, upTo },
  );
  return count;
}

export interface EntryRow extends ChainEntry {
  readonly eventSequence: number;
  /** Absent when it does not match, or when it is gone. */
  readonly event: StoredEvent | undefined;
}

/** The columns of `StoredEvent` are null where there is no event. */
type JoinedRow = ChainEntry & { readonly eventSequence: number } & (
    StoredEvent | { readonly sequence: null }
  );

/** Which rows one statement reads. Positions of entries, or sequences of events. */
interface Part {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly filter: FilterSql;
}

/** The entries after a position, in order. */
export async function readEntries(
  db: Db,
  organizationId: string,
  { after, upTo, limit, filter }: Part,
): Promise<EntryRow[]> {
  const rows = await queryRows<JoinedRow>(
    db,
    `select c.position, c.hash, c.leaf, c.event_sequence, ${EVENT_COLUMNS}
       from audit_chain c
       left join audit_events e on e.sequence = c.event_sequence and e.organization_id = :organizationId${filter.sql}
      where c.organization_id = :organizationId and c.position > :after and c.position <= :upTo
      order by c.position limit :limit`,
    { ...filter.bindings, organizationId, after, upTo, limit },
  );
  return rows.map((row) => ({
    position: row.position,
    hash: row.hash,
    leaf: row.leaf,
    eventSequence: row.eventSequence,
    event: row.sequence === null ? undefined : row,
  }));
}

/** Checkpoints of positions after one, up to another, in order. */
export async function readCheckpoints(
  db: Db,
  organizationId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<Checkpoint[]> {
  const rows = await queryRows<CheckpointRow>(
    db,
    `select ${CHECKPOINT_COLUMNS} from audit_checkpoints
      where organization_id = :organizationId and position > :after and position <= :upTo order by position`,
    { organizationId, after, upTo },
  );
  return rows.map(checkpointOf);
}

/** The greatest sequence of an event; 0 without one. */
export async function readLastSequence(db: Db, organizationId: string): Promise<number> {
  const { last } = await queryOne<{ last: number }>(
    db,
    'select coalesce(max(sequence), 0) as last from audit_events where organization_id = :organizationId',
    { organizationId },
  );
  return last;
}

/** Events that match, sealed or not, in the order of their sequence. */
export async function readEvents(
  db: Db,
  organizationId: string,
  { after, upTo, limit, filter }: Part,
): Promise<StoredEvent[]> {
  return await queryRows<StoredEvent>(
    db,
    `select ${EVENT_COLUMNS} from audit_events e
      where e.organization_id = :organizationId and e.sequence > :after and e.sequence <= :upTo${filter.sql}
      order by e.sequence limit :limit`,
    { ...filter.bindings, organizationId, after, upTo, limit },
  );
}
