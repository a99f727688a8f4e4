/** Signed checkpoints of chains, the keys that signed them, and when the next ones are due. */
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** The columns of a `CheckpointRow`. */
export const CHECKPOINT_COLUMNS =
  'organization_id, number, position, hash, previous, at, key_id, signature';

export type CheckpointRow = Omit<Checkpoint, 'link'> & {
  readonly number: number | null;
  readonly previous: Buffer | null;
};

export function checkpointOf({ number, previous, ...row }: CheckpointRow): Checkpoint {
  const link = number === null || previous === null ? undefined : { number, previous };
  return { ...row, link };
}

/** Remembers the key, too, so that its checkpoints can be verified after a rotation. */
export async function insertCheckpoints(
  trx: Trx,
  checkpoints: readonly Checkpoint[],
  key: { readonly id: string; readonly publicKey: Buffer },
): Promise<void> {
  if (checkpoints.length === 0) return;
  await trx.raw(
    `insert into audit_signing_keys (id, public_key, first_used_at) values (:id, :publicKey, clock_timestamp())
     on conflict do nothing`,
    { id: key.id, publicKey: key.publicKey },
  );
  await trx.raw(
    `insert into audit_checkpoints (${CHECKPOINT_COLUMNS})
     select organization_id, number, position, decode(hash, 'hex'), decode(previous, 'hex'), at, :keyId, decode(signature, 'hex')
       from unnest(cast(:organizations as uuid[]), cast(:numbers as bigint[]), cast(:positions as bigint[]), cast(:hashes as text[]),
                   cast(:previous as text[]), cast(:times as timestamptz[]), cast(:signatures as text[]))
            as c (organization_id, number, position, hash, previous, at, signature)`,
    {
      keyId: key.id,
      organizations: checkpoints.map(({ organizationId }) => organizationId),
      numbers: checkpoints.map(({ link }) => link?.number ?? null),
      previous: checkpoints.map(({ link }) => link?.previous.toString('hex') ?? null),
      positions: checkpoints.map(({ position }) => position),
      hashes: checkpoints.map(({ hash }) => hash.toString('hex')),
      times: checkpoints.map(({ at }) => at.toISOString()),
      signatures: checkpoints.map(({ signature }) => signature.toString('hex')),
    },
  );
}

/** Why a chain is not signed although a checkpoint is due. */
export interface Unsigned {
  /** `log_changed`: it does not extend what was signed last. `not_kept`: what is signed cannot be kept, and it may be whole. */
  readonly cause: 'log_changed' | 'not_kept';
  readonly reason: string;
}

export interface CheckpointDue {
  readonly organizationId: string;
  /** Undefined when the chain ends with a checkpoint. */
  readonly dueAt: Date | undefined;
  readonly refused?: Unsigned | undefined;
}

/** Who cannot keep what they sign did not look at the chain. What another process found in it stays. */
const KNOWN_AS_CHANGED =
  'excluded.not_kept and due.refused_because is not null and not due.not_kept';

/** For locked chains. */
export async function recordCheckpointsDue(
  trx: Trx,
  chains: readonly CheckpointDue[],
): Promise<void> {
  const done = chains.filter(({ dueAt }) => dueAt === undefined);
  const waiting = chains.filter(({ dueAt }) => dueAt !== undefined);
  if (done.length > 0)
    await trx.raw(
      'delete from audit_checkpoints_due where organization_id = any (cast(:ids as uuid[]))',
      { ids: done.map(({ organizationId }) => organizationId) },
    );
  if (waiting.length > 0)
    await trx.raw(
      `insert into audit_checkpoints_due as due (organization_id, due_at, not_kept, refused_because, refused_since)
       select id, due_at, not_kept, refused_because, case when refused_because is not null then clock_timestamp() end
         from unnest(cast(:ids as uuid[]), cast(:times as timestamptz[]), cast(:notKept as boolean[]), cast(:reasons as text[]))
              as d (id, due_at, not_kept, refused_because)
       on conflict (organization_id) do update set
         due_at = greatest(due.due_at, excluded.due_at),
         not_kept = excluded.not_kept and not (${KNOWN_AS_CHANGED}),
         refused_because = case when ${KNOWN_AS_CHANGED} then due.refused_because else excluded.refused_because end,
         refused_since = case when excluded.refused_because is not null then coalesce(due.refused_since, excluded.refused_since) end
       where excluded.due_at > due.due_at or excluded.refused_because is distinct from due.refused_because`,
      {
        notKept: waiting.map(({ refused }) => refused?.cause === 'not_kept'),
        reasons: waiting.map(({ refused }) => refused?.reason ?? null),
        ids: waiting.map(({ organizationId }) => organizationId),
        times: waiting.map(({ dueAt }) => dueAt?.toISOString() ?? null),
      },
    );
}

/** For locked chains that this process cannot sign. What another process refused stays as it is. */
export async function recordUnsigned(trx: Trx, organizationIds: readonly string[]): Promise<void> {
  if (organizationIds.length === 0) return;
  await trx.raw(
    `insert into audit_checkpoints_due (organization_id, due_at)
     select id, to_timestamp(0) from unnest(cast(:organizationIds as uuid[])) as o (id)
     on conflict (organization_id) do nothing`,
    { organizationIds },
  );
}

export interface SigningKeyRow {
  readonly id: string;
  readonly publicKey: Buffer;
  readonly firstUsedAt: Date;
}

/** Every key that ever signed a checkpoint, the oldest first. */
export async function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return await queryRows<SigningKeyRow>(
    db,
    'select id, public_key, first_used_at from audit_signing_keys order by first_used_at, id',
  );
}

/** Newest first. `before`: only checkpoints of entries before this position. */
export async function listCheckpoints(
  db: Db,
  organizationId: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<Checkpoint[]> {
  const rows = await queryRows<CheckpointRow>(
    db,
    `select ${CHECKPOINT_COLUMNS} from audit_checkpoints
      where organization_id = :organizationId and position < coalesce(cast(:before as bigint), 9223372036854775807)
      order by position desc limit :limit`,
    { organizationId, before: before ?? null, limit },
  );
  return rows.map(checkpointOf);
}
