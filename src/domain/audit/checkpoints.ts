/**
 * Checkpoints: signed statements of where a chain ended at some time. Someone who keeps one can show later that nothing up to
 * it was changed, even by those who can write to the database.
 */
import { createHash } from 'node:crypto';
import { bigEndian, HASH_BYTES, uuidBytes, type ChainEntry, type ChainHead } from './chain.ts';

/** What a checkpoint says. */
export interface CheckpointClaim extends ChainHead {
  readonly organizationId: string;
  readonly at: Date;
  /** Undefined in checkpoints of version 1, which earlier releases signed. */
  readonly link: CheckpointLink | undefined;
}

/** The place of a checkpoint among those of its chain. */
export interface CheckpointLink {
  /** Counts from 1, without gaps. Checkpoints of version 1 are not counted. */
  readonly number: number;
  /** The hash of the checkpoint before it, zeros for the first. */
  readonly previous: Buffer;
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

const SIGNED_1 = Buffer.from('countersign-audit-checkpoint-v1\0');
const SIGNED_2 = Buffer.from('countersign-audit-checkpoint-v2\0');

/**
 * What the signature covers. Version 2: the words above, organization, number, position, hash, the time in milliseconds, and
 * the hash of the checkpoint before. Version 1 has neither the number nor the last.
 */
export function checkpointBytes({
  organizationId,
  position,
  hash,
  at,
  link,
}: CheckpointClaim): Buffer {
  return Buffer.concat([
    link ? SIGNED_2 : SIGNED_1,
    uuidBytes(organizationId),
    ...(link ? [bigEndian(link.number)] : []),
    bigEndian(position),
    hash,
    bigEndian(at.getTime()),
    ...(link ? [link.previous] : []),
  ]);
}

/** The end of a chain's checkpoints: what the next one refers to. */
export interface CheckpointTail {
  /** Of the last one that has a number, 0 without one. */
  readonly number: number;
  /** The SHA-256 of what the signature of the last one covers. */
  readonly hash: Buffer;
}

export const NO_CHECKPOINTS: CheckpointTail = { number: 0, hash: Buffer.alloc(HASH_BYTES) };

export function tailAfter(tail: CheckpointTail, claim: CheckpointClaim): CheckpointTail {
  return { number: claim.link?.number ?? tail.number, hash: checkpointHash(claim) };
}

export function checkpointHash(claim: CheckpointClaim): Buffer {
  return createHash('sha256').update(checkpointBytes(claim)).digest();
}

/** What is wrong with the place of the checkpoint that follows. One of version 1 claims none. */
export function linkProblem(
  tail: CheckpointTail,
  { link }: Pick<CheckpointClaim, 'link'>,
): string | undefined {
  if (!link) return undefined;
  const { number, previous } = link;
  if (number > tail.number + 1)
    return `has number ${number}, and number ${tail.number + 1} is missing`;
  if (number <= tail.number)
    return `has number ${number}, which comes again after number ${tail.number}`;
  return previous.equals(tail.hash)
    ? undefined
    : `has number ${number}, and the checkpoint before it is not the one that it was signed after`;
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
    everyMs = CHECKPOINT_MS,
  }: {
    readonly head: ChainHead;
    readonly last: LastCheckpoint;
    readonly now: Date;
    readonly everyMs?: number;
  },
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
  const next = at === undefined ? now : new Date(at.getTime() + everyMs);
  if (end.position === position) return { due, dueAt: undefined };
  if (next > now) return { due, dueAt: next };
  return { due: [...due, end], dueAt: undefined };
}
