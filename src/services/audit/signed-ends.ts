/**
 * Remembers outside the database what was signed last of each chain, and follows a chain from there. Every process that signs
 * has its own memory. With a file, it outlives the process, and processes on one machine may share it.
 */
import { EMPTY_CHAIN, type ChainHead } from '../../domain/audit/chain.ts';
import { checkpointBytes, type Checkpoint } from '../../domain/audit/checkpoints.ts';
import {
  DoesNotExtend,
  followCheckpoint,
  followEntries,
  followFrom,
  furtherEnd,
  NOTHING_SIGNED,
  printedSignedEnds,
  signedEndsFrom,
  type Followed,
  type SignedEnd,
} from '../../domain/audit/signed-ends.ts';
import { readChainEnds } from '../../data/audit/chain.ts';
import type { Unsigned } from '../../data/audit/checkpoints.ts';
import { readCheckpointsFrom, readEntriesFrom } from '../../data/audit/signed-ends.ts';
import { listChainedOrganizations } from '../../data/audit/verification.ts';
import { KeptFileFailure, readKeptFile, writeKeptFile } from '../../platform/crypto/kept-file.ts';
import { verifierOf, type SigningKey } from '../../platform/crypto/signing-key.ts';
import { createYielder } from '../../platform/event-loop.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/postgres.ts';

/** Entries of a statement. */
const ENTRIES = 10_000;
/** Chains of a statement at the first start. */
const CHAINS = 1_000;

/** Why a chain is not signed, by organization. */
export type Refusals = ReadonlyMap<string, Unsigned>;

/** What does not fit what was signed last, by organization. */
export type Misfits = ReadonlyMap<string, string>;

export type KeptEnds = ReadonlyMap<string, SignedEnd>;

export class SignedEnds {
  readonly #file: string | undefined;
  readonly #ends = new Map<string, SignedEnd>();
  readonly #refused = new Map<string, Unsigned>();
  #failure: KeptFileFailure | undefined;
  #text: string | undefined;
  #preparing: Promise<void> | undefined;
  #isReady = false;
  #isWritten = true;

  /** Without a file, the memory ends with the process. */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /**
   * Reads what other processes wrote, and writes what could not be written before. Without a file yet, takes what the database
   * has. Returns why the file cannot be read or written: then nothing must be signed. `logger` hears of it once.
   */
  async prepare(db: Db, logger: Logger): Promise<KeptFileFailure | undefined> {
    // The sealer and an export may come at once.
    this.#preparing ??= this.#keeping(logger, () => this.#prepare(db, logger)).finally(() => {
      this.#preparing = undefined;
    });
    await this.#preparing;
    return this.#failure;
  }

  /** Why nothing is signed now: what is signed cannot be kept. */
  get failure(): KeptFileFailure | undefined {
    return this.#failure;
  }

  async #keeping(logger: Logger, keep: () => Promise<void>): Promise<void> {
    const before = this.#failure?.message;
    try {
      await keep();
      this.#failure = undefined;
      if (before !== undefined) logger.info('what was signed in the audit log is kept again');
    } catch (error) {
      if (!(error instanceof KeptFileFailure)) throw error;
      this.#failure = error;
      if (error.message !== before)
        logger.error(
          { reason: error.message },
          'nothing in the audit log is signed, because what was signed last cannot be kept',
        );
    }
  }

  async #prepare(db: Db, logger: Logger): Promise<void> {
    const text = this.#file === undefined ? undefined : await readKeptFile(this.#file);
    if (text !== undefined && text !== this.#text) this.#merge(text);
    if (!this.#isReady) {
      if (text === undefined) await this.#takeFrom(db, logger);
      this.#isReady = true;
    }
    if (text === undefined || !this.#isWritten) await this.#write();
  }

  /** What was signed last. Call `prepare` before. */
  endsOf(organizationIds: readonly string[]): KeptEnds {
    return new Map(organizationIds.map((id) => [id, this.#ends.get(id) ?? NOTHING_SIGNED]));
  }

  /** Every chain that is known. */
  all(): KeptEnds {
    return this.#ends;
  }

  /** What this process does not sign now. */
  get refused(): Refusals {
    return this.#refused;
  }

  /** Returns the chains that it does not sign since now, or for another reason than before. */
  refuse(compared: readonly string[], refusals: Refusals): Refusals {
    const news = new Map(
      [...refusals].filter(([id, { reason }]) => this.#refused.get(id)?.reason !== reason),
    );
    for (const id of compared) this.#refused.delete(id);
    for (const [id, why] of refusals) this.#refused.set(id, why);
    return news;
  }

  /**
   * Call it after the commit: a signature that the database has lost would be refused for ever. What cannot be kept now is kept
   * before the next signature.
   */
  async record(ends: ReadonlyMap<string, SignedEnd>, logger: Logger): Promise<void> {
    if (ends.size === 0) return;
    for (const [id, end] of ends) this.#ends.set(id, furtherEnd(this.#ends.get(id), end));
    this.#isWritten = false;
    await this.#keeping(logger, () => this.#write());
  }

  /**
   * What others signed, so that it is followed once. Where it cannot be written, this process still knows it, and may sign: a
   * file that is behind is only followed for longer.
   */
  async recordFollowed(ends: ReadonlyMap<string, SignedEnd>, logger: Logger): Promise<void> {
    if (ends.size === 0) return;
    for (const [id, end] of ends) this.#ends.set(id, furtherEnd(this.#ends.get(id), end));
    await this.#keeping(logger, () => this.#write());
  }

  #merge(text: string): void {
    const ends = signedEndsFrom(text);
    if (!ends)
      throw new KeptFileFailure(this.#file ?? '', {
        problem: 'does not say what was signed',
        advice: 'Put it back from a backup, or remove it to take what the database has.',
      });
    for (const [id, end] of ends) this.#ends.set(id, furtherEnd(this.#ends.get(id), end));
    this.#text = text;
  }

  async #takeFrom(db: Db, logger: Logger): Promise<void> {
    const ids = await listChainedOrganizations(db);
    for (let from = 0; from < ids.length; from += CHAINS) {
      const { ends } = await readChainEnds(db, ids.slice(from, from + CHAINS), undefined);
      for (const { organizationId, head, signed } of ends)
        if (head.position > 0)
          this.#ends.set(organizationId, signed ?? { ...NOTHING_SIGNED, ...head });
    }
    logger.info(
      { chains: this.#ends.size, file: this.#file },
      'nothing here says what was signed last in the audit log: it is taken from the database, this once',
    );
  }

  async #write(): Promise<void> {
    if (this.#file !== undefined) {
      // Another process may share the file.
      const text = await readKeptFile(this.#file);
      if (text !== undefined && text !== this.#text) this.#merge(text);
      const next = printedSignedEnds(this.#ends);
      if (next !== text) await writeKeptFile(this.#file, next);
      this.#text = next;
    }
    this.#isWritten = true;
  }
}

export interface FollowedChains {
  /** The last checkpoints of the own key that others signed since. Without those of refused chains. */
  readonly ends: ReadonlyMap<string, SignedEnd>;
  readonly misfits: Misfits;
}

/**
 * Compares chains with what was signed last of them, up to their heads. What was kept must be read before the heads: another
 * sealer continues meanwhile.
 */
export async function followChains(
  db: Db,
  auditKey: SigningKey,
  { heads, kept }: { readonly heads: ReadonlyMap<string, ChainHead>; readonly kept: KeptEnds },
): Promise<FollowedChains> {
  const misfits = new Map<string, string>();
  const followed = await followSigned(db, auditKey, { heads, kept, misfits });
  await followToHeads(db, heads, { followed, misfits });
  const ends = [...followed]
    .filter(([id, { anchor }]) => anchor !== kept.get(id) && !misfits.has(id))
    .map(([id, { anchor }]) => [id, anchor] as const);
  return { ends: new Map(ends), misfits };
}

interface Following {
  readonly heads: ReadonlyMap<string, ChainHead>;
  readonly kept: KeptEnds;
  readonly misfits: Map<string, string>;
}

/** Shares the event loop: a signature takes 0.2 ms, and a month has 43,200. */
async function followSigned(
  db: Db,
  auditKey: SigningKey,
  { heads, kept, misfits }: Following,
): Promise<Map<string, Followed>> {
  const followed = new Map<string, Followed>();
  const verify = verifierOf(auditKey);
  const isOwn = (checkpoint: Checkpoint): boolean | undefined =>
    checkpoint.keyId === auditKey.id
      ? verify(checkpointBytes(checkpoint), checkpoint.signature)
      : undefined;
  const yieldIfDue = createYielder();
  for await (const checkpoint of readCheckpointsFrom(db, kept)) {
    const { organizationId: id, position } = checkpoint;
    const end = kept.get(id);
    if (!end || misfits.has(id) || position > (heads.get(id)?.position ?? 0)) continue;
    const isMisfit = refusing(misfits, id, () => {
      const from = followed.get(id) ?? followFrom(end, checkpoint);
      followed.set(id, followCheckpoint(from, checkpoint, isOwn));
    });
    if (isMisfit) followed.delete(id);
    await yieldIfDue();
  }
  for (const [id, end] of kept)
    if (!followed.has(id) && !misfits.has(id))
      refusing(misfits, id, () => followed.set(id, followFrom(end, undefined)));
  return followed;
}

async function followToHeads(
  db: Db,
  heads: ReadonlyMap<string, ChainHead>,
  {
    followed,
    misfits,
  }: { readonly followed: Map<string, Followed>; readonly misfits: Map<string, string> },
): Promise<void> {
  const at = new Map<string, ChainHead>([...followed].map(([id, { anchor }]) => [id, anchor]));
  while (at.size > 0) {
    const rows = await readEntriesFrom(db, at, ENTRIES);
    const entries = byOrganization(rows);
    const isAll = rows.length < ENTRIES;
    for (const [id, from] of [...at]) {
      const head = heads.get(id) ?? EMPTY_CHAIN;
      const found = (entries.get(id) ?? []).filter(({ position }) => position <= head.position);
      const isMisfit = refusing(misfits, id, () => {
        if (from.position > head.position)
          throw new DoesNotExtend(`position ${from.position} was sealed, and is missing`);
        // The others come with the next statement.
        if (found.length === 0 && !isAll) return;
        const reached = followEntries(id, from, found);
        at.set(id, reached);
        if (reached.position === head.position) at.delete(id);
        else if (isAll) throw new DoesNotExtend(`position ${reached.position + 1} is missing`);
      });
      if (isMisfit) at.delete(id);
    }
  }
}

function refusing(misfits: Map<string, string>, id: string, follow: () => unknown): boolean {
  try {
    follow();
    return false;
  } catch (error) {
    if (!(error instanceof DoesNotExtend)) throw error;
    misfits.set(id, error.message);
    return true;
  }
}

function byOrganization<T extends { readonly organizationId: string }>(
  rows: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.organizationId);
    if (group) group.push(row);
    else groups.set(row.organizationId, [row]);
  }
  return groups;
}
