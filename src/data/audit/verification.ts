/** What a verification of the database reads in addition to chains and events. */
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';

/** Every organization that has, or ever had, an entry. */
export async function listChainedOrganizations(db: Db): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    `select id from organizations
     union select organization_id from audit_checkpoints
     union select organization_id from (
       with recursive o as (
         (select organization_id from audit_chain order by organization_id limit 1)
         union all
         select (select c.organization_id from audit_chain c where c.organization_id > o.organization_id order by c.organization_id limit 1)
           from o where o.organization_id is not null
       ) select organization_id from o where organization_id is not null) chains
     order by 1`,
  );
  return rows.map(({ id }) => id);
}

export interface UnsealedEvent {
  readonly sequence: number;
  readonly organizationId: string;
  /** It happened over a minute ago, or every event from before it is known to be sealed. */
  readonly isLate: boolean;
}

/** The first events without an entry. Reads the whole log. */
export async function listUnsealed(db: Db, limit: number): Promise<UnsealedEvent[]> {
  return await queryRows<UnsealedEvent>(
    db,
    `select e.sequence, e.organization_id,
            e.occurred_at < clock_timestamp() - interval '1 minute' or e.sequence <= (select settled_to from audit_horizon) as is_late
       from audit_events e
      where not exists (select from audit_chain c where c.event_sequence = e.sequence)
      order by e.sequence limit :limit`,
    { limit },
  );
}

/** Where a chain ends, and what waits for its seal. */
export interface ChainExtent {
  readonly position: number | null;
  readonly hash: Buffer | null;
  /** At most `most`. */
  readonly unsealed: number;
  readonly unsealedSince: Date | null;
}

/** Reads the end of the chain, and the events that sealers have not settled. */
export async function readChainExtent(
  db: Db,
  organizationId: string,
  most: number,
): Promise<ChainExtent> {
  return await queryOne<ChainExtent>(
    db,
    `with horizon as materialized (select sealed_to from audit_horizon), unsealed as (
       select e.occurred_at from audit_events e
        where e.organization_id = :organizationId and e.sequence > (select sealed_to from horizon)
          and not exists (select from audit_chain c
                           where c.event_sequence = e.sequence and c.event_sequence > (select sealed_to from horizon))
        order by e.sequence limit :most
     )
     select c.position, c.hash, u.unsealed, u.unsealed_since
       from (select count(*) as unsealed, min(occurred_at) as unsealed_since from unsealed) u
       left join (select position, hash from audit_chain where organization_id = :organizationId
                   order by position desc limit 1) c on true`,
    { organizationId, most },
  );
}

/** Of these events, those that still have no entry. */
export async function stillUnsealed(db: Db, sequences: readonly number[]): Promise<Set<number>> {
  const rows = await queryRows<{ sequence: number }>(
    db,
    `select s.sequence from unnest(cast(:sequences as bigint[])) as s (sequence)
      where not exists (select from audit_chain c where c.event_sequence = s.sequence)`,
    { sequences },
  );
  return new Set(rows.map(({ sequence }) => sequence));
}
