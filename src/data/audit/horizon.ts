/** What the sealers look at each second: which events are not sealed, and how far they need not look again. */
import type { Horizon, Look } from '../../domain/audit/horizon.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

export interface Sighting {
  readonly horizon: Horizon;
  readonly look: Look;
  /** Of the first events that are not sealed. */
  readonly unsealed: UnsealedRange | undefined;
  /** Chains whose next checkpoint is due. */
  readonly checkpointsDue: readonly string[];
}

/** Sequences from `from`, exclusive, to `to`, inclusive. */
export interface UnsealedRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly organizationIds: readonly string[];
  readonly oldest: Date;
}

interface Row {
  sealedTo: number;
  settledTo: number;
  pendingTo: number | null;
  pendingAt: Date | null;
  pendingXmax: string | null;
  now: Date;
  greatest: number;
  xmax: string;
  hasEnded: boolean | null;
  isRestored: boolean | null;
  first: number | null;
  last: number | null;
  count: number;
  organizationIds: readonly string[] | null;
  oldest: Date | null;
  due: readonly string[] | null;
}

export interface SightingOptions {
  /** Events to look at, at most. */
  readonly limit: number;
  /** Organizations to leave out. */
  readonly without: readonly string[];
  /** Chains with a due checkpoint to look at, at most. */
  readonly checkpoints: number;
  /** Checkpoints that are due by then count, too. */
  readonly dueBy: Date | undefined;
}

/** One statement in one snapshot. It is cheap when nothing happens, however many organizations there are. */
export async function lookForUnsealed(
  db: Db,
  { limit, without, checkpoints, dueBy }: SightingOptions,
): Promise<Sighting> {
  const row = await queryOne<Row>(
    db,
    `with horizon as materialized (
       select *, pg_snapshot_xmin(pg_current_snapshot()) as xmin, pg_snapshot_xmax(pg_current_snapshot()) as xmax from audit_horizon
     ), unsealed as materialized (
       select e.sequence, e.organization_id, e.occurred_at
         from audit_events e
        where e.sequence > (select sealed_to from horizon)
          and not exists (select from audit_chain c
                           where c.event_sequence = e.sequence and c.event_sequence > (select sealed_to from horizon))
          and e.organization_id <> all (cast(:without as uuid[]))
        order by e.sequence limit :limit
     )
     select h.sealed_to, h.settled_to, h.pending_to, h.pending_at, cast(h.pending_xmax as text) as pending_xmax,
            clock_timestamp() as now, cast(h.xmax as text) as xmax,
            h.xmin >= h.pending_xmax as has_ended, h.pending_xmax > h.xmax as is_restored,
            coalesce((select sequence from audit_events order by sequence desc limit 1), 0) as greatest,
            u.*,
            (select array_agg(cast(organization_id as text)) from (
               select organization_id from audit_checkpoints_due
                where due_at <= greatest(clock_timestamp(), cast(:dueBy as timestamptz)) and organization_id <> all (cast(:without as uuid[]))
                order by due_at limit :checkpoints) d) as due
       from horizon h,
            lateral (select min(sequence) as first, max(sequence) as last, count(*) as count, min(occurred_at) as oldest,
                            array_agg(distinct cast(organization_id as text)) as organization_ids from unsealed) u`,
    { limit, without, checkpoints, dueBy: dueBy?.toISOString() ?? null },
  );
  return sightingOf(row);
}

function sightingOf(row: Row): Sighting {
  return {
    horizon: {
      sealedTo: row.sealedTo,
      settledTo: row.settledTo,
      pending:
        row.pendingTo === null || row.pendingAt === null
          ? undefined
          : { to: row.pendingTo, at: row.pendingAt, xmax: row.pendingXmax ?? undefined },
    },
    look: {
      now: row.now,
      greatest: row.greatest,
      firstUnsealed: row.first ?? undefined,
      xmax: row.xmax,
      hasEnded: row.hasEnded ?? false,
      isRestored: row.isRestored ?? false,
    },
    unsealed:
      row.first === null || row.last === null || row.oldest === null
        ? undefined
        : {
            from: row.first - 1,
            to: row.last,
            count: row.count,
            organizationIds: row.organizationIds ?? [],
            oldest: row.oldest,
          },
    checkpointsDue: row.due ?? [],
  };
}

/** Keeps what another sealer found out meanwhile where that is further. */
export async function recordHorizon(
  db: Db,
  { from, to }: { readonly from: Horizon; readonly to: Horizon },
): Promise<void> {
  await db.raw(
    `update audit_horizon set
       sealed_to = greatest(sealed_to, cast(:sealedTo as bigint)),
       settled_to = greatest(settled_to, cast(:settledTo as bigint)),
       (pending_to, pending_at, pending_xmax) = (
         select case when same then cast(:pendingTo as bigint) else pending_to end,
                case when same then cast(:pendingAt as timestamptz) else pending_at end,
                case when same then cast(cast(:pendingXmax as text) as xid8) else pending_xmax end
           from (select pending_to is not distinct from cast(:knownTo as bigint)
                    and pending_xmax is not distinct from cast(cast(:knownXmax as text) as xid8) as same) known)`,
    {
      sealedTo: to.sealedTo,
      settledTo: to.settledTo,
      pendingTo: to.pending?.to ?? null,
      pendingAt: to.pending?.at ?? null,
      pendingXmax: to.pending?.xmax ?? null,
      knownTo: from.pending?.to ?? null,
      knownXmax: from.pending?.xmax ?? null,
    },
  );
}
