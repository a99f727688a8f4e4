/** Verifies the chains of a database as they are stored, no matter who changed them. It reads everything and changes nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  canonicalLine,
  EMPTY_CHAIN,
  leafOf,
  nextEntry,
  type ChainHead,
} from '../../domain/audit/chain.ts';
import {
  checkpointBytes,
  linkProblem,
  NO_CHECKPOINTS,
  tailAfter,
  type Checkpoint,
} from '../../domain/audit/checkpoints.ts';
import type { SignedEnd } from '../../domain/audit/signed-ends.ts';
import { isOtherOfNumber, type KnownProof } from '../../domain/audit/verify.ts';
import { listSigningKeys } from '../../data/audit/checkpoints.ts';
import { readCheckpoints, readEntries, type EntryRow } from '../../data/audit/export.ts';
import {
  listChainedOrganizations,
  listUnsealed,
  stillUnsealed,
  type UnsealedEvent,
} from '../../data/audit/verification.ts';
import { publicKeyOf, verifierOf } from '../../platform/crypto/signing-key.ts';
import type { Db } from '../../platform/postgres.ts';

/** Entries of a statement. With 2,000, the process took 55 MB more, and was no faster. */
const BATCH = 500;
/** Events without an entry that are looked at again. */
const MOST_UNSEALED = 10_000;
/** A sealer that runs has sealed by then what it is about to seal. */
const SEALED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 500;

export interface VerifiedDatabase {
  readonly organizations: number;
  readonly entries: number;
  readonly checkpoints: number;
  /** What is wrong, one line each. */
  readonly problems: readonly string[];
  /** Events that are too new to be sealed. */
  readonly notSealedYet: number;
  /** Signatures were verified with keys from the database itself, because none was given. */
  readonly trustsDatabase: boolean;
}

export interface VerifyOptions {
  readonly sealedWithinMs?: number;
  /** What the service signed last, as it is kept outside the database. */
  readonly signedEnds?: ReadonlyMap<string, SignedEnd> | undefined;
}

export async function verifyDatabase(
  db: Db,
  known: KnownProof,
  { sealedWithinMs = SEALED_WITHIN_MS, signedEnds }: VerifyOptions = {},
): Promise<VerifiedDatabase> {
  const began = performance.now();
  const unsealed = await listUnsealed(db, MOST_UNSEALED);
  const trustsDatabase = known.keys.size === 0;
  const keys = trustsDatabase ? await keysOfDatabase(db) : known.keys;
  const organizationIds = await listChainedOrganizations(db);
  const chains: VerifiedChain[] = [];
  for (const organizationId of organizationIds) {
    const kept = known.kept.filter((checkpoint) => checkpoint.organizationId === organizationId);
    const signed = signedEnds?.get(organizationId);
    chains.push(await verifyChain(db, organizationId, { keys, kept, signed }));
  }
  const strangers = known.kept
    .filter(({ organizationId }) => !organizationIds.includes(organizationId))
    .map(
      ({ organizationId }) =>
        `Your checkpoint is of organization ${organizationId}, which is not here.`,
    );
  const gone = [...(signedEnds ?? [])]
    .filter(([id, { position }]) => position > 0 && !organizationIds.includes(id))
    .map(([id]) => `The service signed the log of organization ${id}, which is not here any more.`);
  const left = await unsealedAfter(db, unsealed, sealedWithinMs - (performance.now() - began));
  const late = left.filter(({ isLate }) => isLate);
  return {
    organizations: chains.filter(({ head }) => head.position > 0).length,
    entries: chains.reduce((sum, { head }) => sum + head.position, 0),
    checkpoints: chains.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
    problems: [
      ...strangers,
      ...gone,
      ...chains.flatMap(({ problems }) => problems),
      ...unsealedProblems(late),
    ],
    notSealedYet: left.length - late.length,
    trustsDatabase,
  };
}

function unsealedProblems(late: readonly UnsealedEvent[]): string[] {
  const [first] = late;
  if (!first) return [];
  const count =
    late.length >= MOST_UNSEALED
      ? `${MOST_UNSEALED} or more events are`
      : late.length === 1
        ? '1 event is'
        : `${late.length} events are`;
  return [
    `${count} not sealed, and should be. The first has sequence ${first.sequence}, in organization ${first.organizationId}. It was inserted where events are sealed already, or no worker runs.`,
  ];
}

async function unsealedAfter(
  db: Db,
  unsealed: readonly UnsealedEvent[],
  ms: number,
): Promise<readonly UnsealedEvent[]> {
  const end = performance.now() + ms;
  for (;;) {
    const still = await stillUnsealed(
      db,
      unsealed.map(({ sequence }) => sequence),
    );
    if (still.size === 0 || performance.now() >= end)
      return unsealed.filter(({ sequence }) => still.has(sequence));
    await delay(LOOK_EVERY_MS);
  }
}

async function keysOfDatabase(db: Db): Promise<KnownProof['keys']> {
  const rows = await listSigningKeys(db);
  return new Map(rows.map(({ id, publicKey }) => [id, verifierOf(publicKeyOf(publicKey))]));
}

interface VerifiedChain {
  /** The last entry that is right. */
  readonly head: ChainHead;
  readonly checkpoints: number;
  readonly problems: readonly string[];
}

/** Stops at the first wrong position, because nothing after it means anything. */
async function verifyChain(
  db: Db,
  organizationId: string,
  known: KnownClaims,
): Promise<VerifiedChain> {
  let head = EMPTY_CHAIN;
  let checkpoints = 0;
  const claims = new Claims(known);
  const broken = (what: string, position = head.position + 1): VerifiedChain => ({
    head,
    checkpoints,
    problems: [`Organization ${organizationId}, position ${position}: ${what}`],
  });
  for (;;) {
    const entries = await readEntries(db, organizationId, {
      after: head.position,
      upTo: Number.MAX_SAFE_INTEGER,
      limit: BATCH,
      filter: { sql: '', bindings: {} },
    });
    const last = entries.at(-1)?.position;
    if (last === undefined) break;
    const signed = new Map(
      (await readCheckpoints(db, organizationId, { after: head.position, upTo: last })).map(
        (checkpoint) => [checkpoint.position, checkpoint],
      ),
    );
    for (const entry of entries) {
      const problem = entryProblem(organizationId, head, entry);
      if (problem !== undefined) return broken(problem);
      head = entry;
      const checkpoint = signed.get(head.position);
      const wrong = claims.problemAt(head, checkpoint);
      if (wrong !== undefined) return broken(wrong, head.position);
      if (checkpoint) checkpoints += 1;
    }
  }
  const beyond = await readCheckpoints(db, organizationId, {
    after: head.position,
    upTo: Number.MAX_SAFE_INTEGER,
  });
  const problem = claims.problemAfter(head, beyond);
  return problem === undefined ? { head, checkpoints, problems: [] } : broken(problem);
}

type KnownClaims = KnownProof & { readonly signed: SignedEnd | undefined };

/** Compares a chain with its checkpoints and with what was kept elsewhere. */
class Claims {
  readonly #known: KnownClaims;
  #tail = NO_CHECKPOINTS;

  constructor(known: KnownClaims) {
    this.#known = known;
  }

  problemAt(head: ChainHead, checkpoint: Checkpoint | undefined): string | undefined {
    const kept = this.#known.kept.filter(({ position }) => position === head.position);
    for (const claim of [checkpoint, ...kept]) {
      const wrong = claim && checkpointProblem(claim, head, this.#known.keys);
      if (wrong !== undefined) return wrong;
    }
    const { signed } = this.#known;
    if (signed?.position === head.position && !signed.hash.equals(head.hash))
      return 'the service signed another hash of it. An entry up to this one was changed since.';
    if (!checkpoint) return undefined;
    const misplaced = linkProblem(this.#tail, checkpoint);
    if (misplaced !== undefined)
      return `its checkpoint ${misplaced}. A checkpoint was removed or replaced.`;
    const other = this.#known.kept.find((claim) => isOtherOfNumber(claim, checkpoint));
    if (other)
      return `its checkpoint has number ${other.link?.number}, and yours of that number is another, of position ${other.position}.`;
    this.#tail = tailAfter(this.#tail, checkpoint);
    if (signed?.tail.number === this.#tail.number && signed.position === head.position)
      return signed.tail.hash.equals(this.#tail.hash)
        ? undefined
        : `the service signed another checkpoint ${signed.tail.number}. It was replaced.`;
    return undefined;
  }

  /** What the end of the chain lacks. */
  problemAfter(head: ChainHead, beyond: readonly Checkpoint[]): string | undefined {
    const { kept, signed } = this.#known;
    const [rolledBack] = [...beyond, ...kept.filter(({ position }) => position > head.position)];
    if (rolledBack)
      return `it is missing. The chain ends before it, and a checkpoint of position ${rolledBack.position} was signed at ${rolledBack.at.toISOString()}.`;
    if (signed && signed.position > head.position)
      return `it is missing. The chain ends before it, and the service signed position ${signed.position}.`;
    if (signed && signed.tail.number > this.#tail.number)
      return `the service signed checkpoint ${signed.tail.number}, and the database has none after ${this.#tail.number}: it was removed.`;
    const removed = kept.find(({ link }) => link && link.number > this.#tail.number);
    return (
      removed &&
      `your checkpoint of position ${removed.position} has number ${removed.link?.number}, and the database has none after number ${this.#tail.number}: it was removed.`
    );
  }
}

function entryProblem(
  organizationId: string,
  head: ChainHead,
  { position, leaf, hash, event, eventSequence }: EntryRow,
): string | undefined {
  if (position !== head.position + 1)
    return `it is missing. The next entry is at position ${position}.`;
  if (!event) return `its event, with sequence ${eventSequence}, is gone.`;
  if (!leafOf(canonicalLine(event)).equals(leaf))
    return `its event, with sequence ${eventSequence}, is not the one that was sealed.`;
  if (!nextEntry(organizationId, head, leaf).hash.equals(hash))
    return 'its hash does not follow from the entry before it.';
  return undefined;
}

function checkpointProblem(
  checkpoint: Checkpoint,
  { hash }: ChainHead,
  keys: KnownProof['keys'],
): string | undefined {
  if (!checkpoint.hash.equals(hash))
    return `a checkpoint of ${checkpoint.at.toISOString()} has another hash. An entry up to this one was changed since.`;
  const verify = keys.get(checkpoint.keyId);
  if (!verify)
    return `its checkpoint is signed with the key ${checkpoint.keyId}, which was not given. Add --key with its public key if you trust it.`;
  return verify(checkpointBytes(checkpoint), checkpoint.signature)
    ? undefined
    : `its checkpoint does not have a signature of the key ${checkpoint.keyId}.`;
}
