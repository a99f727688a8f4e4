/** What a sealer compares with what it signed last. Each statement reads many chains. */
import type { ChainEntry, ChainHead } from '../../domain/audit/chain.ts';
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import {
  CHECKPOINT_COLUMNS,
  checkpointOf,
  type CheckpointRow,
  type Unsigned,
} from './checkpoints.ts';

/** By organization. */
type Positions = ReadonlyMap<string, Pick<ChainHead, 'position'>>;

const bindingsOf = (from: Positions) => ({
  ids: [...from.keys()],
  positions: [...from.values()].map(({ position }) => position),
});

/** Checkpoints of a statement. */
const CHECKPOINTS = 1_000;

/** The checkpoints of these positions and of later ones, each chain in order. It reads them in pages. */
export async function* readCheckpointsFrom(
  db: Db,
  from: Positions,
  limit = CHECKPOINTS,
): AsyncGenerator<Checkpoint, void, undefined> {
  for (let left = from; left.size > 0;) {
    const rows = await queryRows<CheckpointRow>(
      db,
      `select c.*
         from unnest(cast(:ids as uuid[]), cast(:positions as bigint[])) as kept (id, least)
         cross join lateral (select ${CHECKPOINT_COLUMNS} from audit_checkpoints
                              where organization_id = kept.id and position >= kept.least
                              order by position limit :limit) c
        order by organization_id, position limit :limit`,
      { ...bindingsOf(left), limit },
    );
    for (const row of rows) yield checkpointOf(row);
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    const { organizationId, position } = last;
    // Postgres orders UUIDs as their text.
    const later = [...left].filter(([id]) => id > organizationId);
    left = new Map([[organizationId, { position: position + 1 }], ...later]);
  }
}

export type ChainRow = ChainEntry & { readonly organizationId: string };

/** The entries of these positions and of later ones, each chain in order, `limit` at most. */
export async function readEntriesFrom(db: Db, from: Positions, limit: number): Promise<ChainRow[]> {
  return await queryRows<ChainRow>(
    db,
    `select organization_id, position, leaf, hash
       from unnest(cast(:ids as uuid[]), cast(:positions as bigint[])) as kept (id, least)
       join audit_chain on organization_id = kept.id and position >= kept.least
      order by organization_id, position limit :limit`,
    { ...bindingsOf(from), limit },
  );
}

export interface Refusal extends Unsigned {
  readonly organizationId: string;
  readonly since: Date;
}

/** Chains that a sealer does not sign, the earliest first. */
export async function listRefusals(
  db: Db,
  { organizationId, limit }: { readonly organizationId?: string; readonly limit: number },
): Promise<Refusal[]> {
  return await queryRows<Refusal>(
    db,
    `select organization_id, refused_since as since, refused_because as reason,
            case when not_kept then 'not_kept' else 'log_changed' end as cause
       from audit_checkpoints_due
      where refused_since is not null and organization_id = coalesce(cast(:organizationId as uuid), organization_id)
      order by refused_since, organization_id limit :limit`,
    { organizationId: organizationId ?? null, limit },
  );
}
