/**
 * Checkpoints: signed statements of where a chain ended at some time. Someone who keeps one can show later that nothing up to
 * it was changed, even by those who can write to the database.
 */
import { bigEndian, uuidBytes, type ChainEntry, type ChainHead } from './chain.ts';

/** What a checkpoint says. */
export interface CheckpointClaim extends ChainHead {
  readonly organizationId: string;
  readonly at: Date;
}

export interface Checkpoint extends CheckpointClaim {
  readonly keyId: string;
  /** Ed25519, 64 bytes. */
  readonly signature: Buffer;
}

/** Entries after which there is a checkpoint in any case. */
export const CHECKPOINT_ENTRIES = 10_000;
/** The time between checkpoints while entries are added. */
export const CHECKPOINT_MS = 60_000;

const SIGNED = Buffer.from('countersign-audit-checkpoint-v1\0');

/** What the signature covers: the words above, organization, position, hash, and the time in milliseconds. */
export function checkpointBytes({ organizationId, position, hash, at }: CheckpointClaim): Buffer {
  return Buffer.concat([
    SIGNED,
    uuidBytes(organizationId),
    bigEndian(position),
    hash,
    bigEndian(at.getTime()),
  ]);
}

export interface LastCheckpoint {
  /** 0 without one. */
  readonly position: number;
  readonly at: Date | undefined;
}

/** The entries that get a checkpoint. `dueAt`: when a later entry, or the end as it is, gets the next one. */
export function checkpointsDue(
  entries: readonly ChainEntry[],
  {
    head,
    last,
    now,
  }: { readonly head: ChainHead; readonly last: LastCheckpoint; readonly now: Date },
): { readonly due: readonly ChainHead[]; readonly dueAt: Date | undefined } {
  const due: ChainHead[] = [];
  let { position, at } = last;
  const end = entries.at(-1) ?? head;
  for (const entry of entries) {
    if (entry.position - position < CHECKPOINT_ENTRIES) continue;
    due.push(entry);
    position = entry.position;
    at = now;
  }
  const next = at === undefined ? now : new Date(at.getTime() + CHECKPOINT_MS);
  if (end.position === position) return { due, dueAt: undefined };
  if (next > now) return { due, dueAt: next };
  return { due: [...due, end], dueAt: undefined };
}
