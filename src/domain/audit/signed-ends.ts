/**
 * What was signed last of each chain, as it is kept outside the database. A chain that does not extend it was changed by someone
 * who can write to the database, or comes from an older backup.
 */
import { EMPTY_CHAIN, nextEntry, type ChainEntry, type ChainHead } from './chain.ts';
import {
  checkpointHash,
  linkProblem,
  NO_CHECKPOINTS,
  tailAfter,
  type Checkpoint,
  type CheckpointTail,
} from './checkpoints.ts';

/** The newest checkpoint of a chain. Without one: an entry that was there, and a tail of zeros. */
export interface SignedEnd extends ChainHead {
  readonly tail: CheckpointTail;
}

/** Of a chain of which nothing was signed or seen. */
export const NOTHING_SIGNED: SignedEnd = { ...EMPTY_CHAIN, tail: NO_CHECKPOINTS };

/** Thrown for a chain that must not be signed. Its message says what does not fit. */
export class DoesNotExtend extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DoesNotExtend';
  }
}

const hasCheckpoint = ({ tail }: SignedEnd): boolean => !tail.hash.equals(NO_CHECKPOINTS.hash);

export interface Followed {
  /** From where a chain is compared entry by entry: what was kept, or the last checkpoint since then of the own key. */
  readonly anchor: SignedEnd;
  /** What the next checkpoint refers to. */
  readonly tail: CheckpointTail;
}

/**
 * Begins to follow what others signed since. `first`: the first checkpoint of the kept position or a later one. Throws
 * `DoesNotExtend`.
 */
export function followFrom(kept: SignedEnd, first: Checkpoint | undefined): Followed {
  if (hasCheckpoint(kept) && (!first || !checkpointHash(first).equals(kept.tail.hash)))
    throw new DoesNotExtend(
      `checkpoint ${kept.tail.number}, of position ${kept.position}, was signed, and the database does not have it any more`,
    );
  return { anchor: kept, tail: kept.tail };
}

/**
 * Follows one checkpoint after another. `isOwn` is about signatures: undefined for one of another key, which proves nothing to
 * this process. Throws `DoesNotExtend`.
 */
export function followCheckpoint(
  { anchor, tail }: Followed,
  checkpoint: Checkpoint,
  isOwn: (checkpoint: Checkpoint) => boolean | undefined,
): Followed {
  // The kept one itself.
  if (checkpointHash(checkpoint).equals(tail.hash)) return { anchor, tail };
  const { position, hash } = checkpoint;
  const misplaced = linkProblem(tail, checkpoint);
  if (misplaced !== undefined)
    throw new DoesNotExtend(`the checkpoint of position ${position} ${misplaced}`);
  const own = isOwn(checkpoint);
  if (own === false)
    throw new DoesNotExtend(`the checkpoint of position ${position} has a wrong signature`);
  const next = tailAfter(tail, checkpoint);
  return { anchor: own ? { position, hash, tail: next } : anchor, tail: next };
}

/**
 * The head after these entries. The first is that of the anchor itself, unless the chain begins there. Throws
 * `DoesNotExtend`.
 */
export function followEntries(
  organizationId: string,
  from: ChainHead,
  entries: readonly ChainEntry[],
): ChainHead {
  const [first, ...rest] = entries;
  if (from.position > 0 && (!first?.hash.equals(from.hash) || first.position !== from.position))
    throw new DoesNotExtend(`position ${from.position} was signed, and has another hash now`);
  let head = from;
  for (const entry of from.position > 0 ? rest : entries) {
    const expected = nextEntry(organizationId, head, entry.leaf);
    if (entry.position !== expected.position)
      throw new DoesNotExtend(`position ${expected.position} is missing`);
    if (!entry.hash.equals(expected.hash))
      throw new DoesNotExtend(`the hash of position ${entry.position} is wrong`);
    head = expected;
  }
  return head;
}

const FORMAT = 1;

/** The text of the file that keeps them, and back. */
export function printedSignedEnds(ends: ReadonlyMap<string, SignedEnd>): string {
  const chains = [...ends].map(([id, { position, hash, tail }]) => [
    id,
    {
      position,
      hash: hash.toString('hex'),
      number: tail.number,
      checkpoint: tail.hash.toString('hex'),
    },
  ]);
  return `${JSON.stringify({ version: FORMAT, chains: Object.fromEntries(chains) as unknown })}\n`;
}

/** Undefined for anything else. */
export function signedEndsFrom(text: string): ReadonlyMap<string, SignedEnd> | undefined {
  try {
    const { version, chains } = JSON.parse(text) as {
      readonly version: unknown;
      readonly chains: Readonly<Record<string, PrintedEnd>>;
    };
    if (version !== FORMAT) return undefined;
    return new Map(Object.entries(chains).map(([id, end]) => [id, endFrom(end)]));
  } catch {
    return undefined;
  }
}

interface PrintedEnd {
  readonly position: number;
  readonly hash: string;
  readonly number: number;
  readonly checkpoint: string;
}

function endFrom({ position, hash, number, checkpoint }: PrintedEnd): SignedEnd {
  const isEnd =
    [position, number].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    [hash, checkpoint].every((text) => /^[0-9a-f]{64}$/.test(text));
  if (!isEnd) throw new Error('not an end of a chain');
  return {
    position,
    hash: Buffer.from(hash, 'hex'),
    tail: { number, hash: Buffer.from(checkpoint, 'hex') },
  };
}

/** Both have signed this chain: the one that signed more knows more. */
export const furtherEnd = (one: SignedEnd | undefined, other: SignedEnd): SignedEnd =>
  one && (one.tail.number - other.tail.number || one.position - other.position) > 0 ? one : other;
