/**
 * Verifies an export with proof, line by line, without a database. Every byte of it counts: a line is either exactly what an
 * export writes, or wrong.
 */
import { EMPTY_CHAIN, leafOf, nextEntry, type ChainEntry, type ChainHead } from './chain.ts';
import {
  checkpointBytes,
  checkpointHash,
  linkProblem,
  NO_CHECKPOINTS,
  tailAfter,
  type Checkpoint,
} from './checkpoints.ts';
import { headerBytes } from './export.ts';
import { checkpointFrom, headerFrom, type ReadHeader } from './export-lines.ts';

export type Verifier = (bytes: Buffer, signature: Buffer) => boolean;

/** What the person who verifies knows from elsewhere. */
export interface KnownProof {
  /** By id. Empty: nothing signed can be verified. */
  readonly keys: ReadonlyMap<string, Verifier>;
  readonly kept: readonly Checkpoint[];
}

/** Where a file or a chain is wrong. */
export class BrokenProof extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenProof';
  }
}

export interface VerifiedExport {
  readonly header: ReadHeader;
  readonly events: number;
  readonly checkpoints: number;
  /** Entries up to here are signed by a key that was given; 0 for none. */
  readonly signedTo: number;
  /** The newest kept checkpoint, 0 without one. */
  readonly keptTo: number;
}

const ENTRY =
  /^\{"position":([1-9]\d{0,15}),"(?:hash":"([0-9a-f]{64})","event":|leaf":"([0-9a-f]{64})"\}$)/;
/** The longest beginning of a line that the pattern above matches. */
const ENTRY_PREFIX = 130;
const CLOSING = 0x7d;
/** A checkpoint's time is before its commit. */
const COMMITTED_WITHIN_MS = 60_000;

/** They claim the same number, and are not the same. */
export const isOtherOfNumber = (kept: Checkpoint, found: Checkpoint): boolean =>
  kept.link !== undefined &&
  kept.link.number === found.link?.number &&
  !checkpointHash(kept).equals(checkpointHash(found));

/** Give it the lines, without their line breaks, and then the end. Both throw `BrokenProof`. */
export class ExportVerifier {
  readonly #known: KnownProof;
  #header: ReadHeader | undefined;
  #head: ChainHead = EMPTY_CHAIN;
  /** By position. Two of one position are two claims: both are compared. */
  #kept = new Map<number, Checkpoint[]>();
  #events = 0;
  #checkpoints = 0;
  #signedTo = 0;
  #checkpointAt = 0;
  #tail = NO_CHECKPOINTS;

  constructor(known: KnownProof) {
    this.#known = known;
  }

  line(line: Buffer): void {
    if (!this.#header) this.#header = this.#readHeader(line);
    else if (line.subarray(0, 14).equals(CHECKPOINT)) this.#readCheckpoint(this.#header, line);
    else this.#readEntry(this.#header, line);
  }

  end(): VerifiedExport {
    const header = this.#header;
    if (!header) throw new BrokenProof('The file is empty.');
    const { position } = this.#head;
    const { end } = header;
    if (position < end.position)
      throw new BrokenProof(
        `Position ${position + 1} is missing: the file ends, and its first line says that it goes on to ${end.position}.`,
      );
    if (!this.#head.hash.equals(end.hash))
      throw new BrokenProof(
        `Position ${position}: the first line of the file has another hash for it.`,
      );
    this.#compareCounts(header);
    const newest = Math.max(0, ...this.#kept.keys());
    const removed = this.#known.kept.find(
      ({ link, at }) =>
        link &&
        link.number > this.#tail.number &&
        at.getTime() + COMMITTED_WITHIN_MS < Date.parse(header.exportedAt),
    );
    if (removed && removed.position <= position)
      throw new BrokenProof(
        `Your checkpoint of position ${removed.position} has number ${removed.link?.number}, and the file has none after number ${this.#tail.number}: it was removed before the export.`,
      );
    if (newest > position)
      throw new BrokenProof(
        `Position ${position + 1} is missing: you keep a checkpoint of position ${newest}, and the chain in the file ends before it.`,
      );
    return {
      header,
      events: this.#events,
      checkpoints: this.#checkpoints,
      signedTo:
        header.keyId !== undefined && this.#known.keys.has(header.keyId)
          ? position
          : this.#signedTo,
      keptTo: newest,
    };
  }

  #compareCounts({ events, checkpoints }: ReadHeader): void {
    if (events !== this.#events)
      throw new BrokenProof(
        `The file shows ${this.#events} events, and its first line says ${events}: an event was removed from its entry.`,
      );
    if (checkpoints !== this.#checkpoints)
      throw new BrokenProof(
        `The file has ${this.#checkpoints} checkpoints, and its first line says ${checkpoints}.`,
      );
  }

  #readHeader(line: Buffer): ReadHeader {
    const header = headerFrom(line.toString());
    if (!header)
      throw new BrokenProof('Line 1 is not the first line of an export with proof, version 1.');
    if (this.#known.keys.size > 0) {
      if (header.keyId === undefined)
        throw new BrokenProof(
          'Line 1 is not signed. Export again from a process with COUNTERSIGN_AUDIT_KEY, or verify without --key.',
        );
      this.#requireSigned('Line 1', header.keyId, {
        bytes: headerBytes(header.signed),
        signature: header.signature ?? Buffer.alloc(0),
      });
    }
    for (const checkpoint of this.#known.kept) {
      const where = `Your checkpoint of position ${checkpoint.position}`;
      if (checkpoint.organizationId !== header.organizationId)
        throw new BrokenProof(`${where} is of another organization, ${checkpoint.organizationId}.`);
      this.#requireSignedCheckpoint(where, checkpoint);
      const { position } = checkpoint;
      this.#kept.set(position, [...(this.#kept.get(position) ?? []), checkpoint]);
    }
    return header;
  }

  #readEntry({ organizationId, end }: ReadHeader, line: Buffer): void {
    const expected = this.#head.position + 1;
    const match = ENTRY.exec(line.subarray(0, ENTRY_PREFIX).toString('latin1'));
    if (!match)
      throw new BrokenProof(`Position ${expected}: its line is not one that an export writes.`);
    const [prefix, position, hash, leaf] = match;
    if (Number(position) !== expected)
      throw new BrokenProof(
        `Position ${expected} is missing: its line is that of position ${position}.`,
      );
    if (expected > end.position)
      throw new BrokenProof(
        `Position ${expected} does not belong to the file, which ends at ${end.position}.`,
      );
    if (hash !== undefined && line.at(-1) !== CLOSING)
      throw new BrokenProof(`Position ${expected}: its line is not one that an export writes.`);
    const entry: ChainEntry = nextEntry(
      organizationId,
      this.#head,
      leaf === undefined ? leafOf(line.subarray(prefix.length, -1)) : Buffer.from(leaf, 'hex'),
    );
    if (hash !== undefined) {
      if (entry.hash.toString('hex') !== hash)
        throw new BrokenProof(
          `Position ${expected}: the event, or an entry before it, is not the one that was sealed.`,
        );
      this.#events += 1;
    }
    this.#head = entry;
    this.#compareWithKept(entry);
  }

  #compareWithKept({ position, hash }: ChainHead): void {
    const kept = this.#kept.get(position)?.find((checkpoint) => !checkpoint.hash.equals(hash));
    if (kept)
      throw new BrokenProof(
        `Position ${position}: your checkpoint has another hash. An entry up to this one was changed after ${kept.at.toISOString()}.`,
      );
  }

  #readCheckpoint({ organizationId }: ReadHeader, line: Buffer): void {
    const { position, hash } = this.#head;
    const where = `The checkpoint after position ${position}`;
    const checkpoint = checkpointFrom(line.toString());
    if (!checkpoint) throw new BrokenProof(`${where} is not one that an export writes.`);
    if (checkpoint.organizationId !== organizationId || checkpoint.position !== position)
      throw new BrokenProof(`${where} is that of another chain or position.`);
    if (position === this.#checkpointAt) throw new BrokenProof(`${where} is there twice.`);
    if (!checkpoint.hash.equals(hash))
      throw new BrokenProof(
        `Position ${position}: its checkpoint has another hash. An entry up to it was changed.`,
      );
    const misplaced = linkProblem(this.#tail, checkpoint);
    if (misplaced !== undefined)
      throw new BrokenProof(`${where} ${misplaced}. A checkpoint was removed or replaced.`);
    const other = this.#known.kept.find((kept) => isOtherOfNumber(kept, checkpoint));
    if (other)
      throw new BrokenProof(
        `${where} has number ${other.link?.number}, and yours of that number is another, of position ${other.position}.`,
      );
    if (this.#known.keys.size > 0) this.#requireSignedCheckpoint(where, checkpoint);
    this.#tail = tailAfter(this.#tail, checkpoint);
    this.#checkpointAt = position;
    this.#checkpoints += 1;
    if (this.#known.keys.size > 0) this.#signedTo = position;
  }

  #requireSignedCheckpoint(where: string, checkpoint: Checkpoint): void {
    if (this.#known.keys.size === 0) return;
    const { keyId, signature } = checkpoint;
    this.#requireSigned(where, keyId, { bytes: checkpointBytes(checkpoint), signature });
  }

  #requireSigned(
    where: string,
    keyId: string,
    { bytes, signature }: { readonly bytes: Buffer; readonly signature: Buffer },
  ): void {
    const verify = this.#known.keys.get(keyId);
    if (!verify)
      throw new BrokenProof(
        `${where} is signed with the key ${keyId}, which was not given. Add --key with its public key if you trust it.`,
      );
    if (!verify(bytes, signature))
      throw new BrokenProof(`${where} does not have a signature of the key ${keyId}.`);
  }
}

const CHECKPOINT = Buffer.from('{"checkpoint":');
