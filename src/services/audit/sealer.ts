/**
 * Seals audit events, in every process with a worker: each event gets the next position in the chain of its organization,
 * within about a second of its commit. Transactions that write events do nothing for it. An event whose transaction takes long
 * is sealed late, after others.
 */
import {
  canonicalLine,
  leafOf,
  nextEntry,
  type ChainEntry,
  type StoredEvent,
} from '../../domain/audit/chain.ts';
import { CHECKPOINT_MS } from '../../domain/audit/checkpoints.ts';
import { nextHorizon } from '../../domain/audit/horizon.ts';
import {
  insertEntries,
  readChainEnds,
  readUnsealed,
  tryLockChains,
  type ChainEnd,
  type SealedEvent,
} from '../../data/audit/chain.ts';
import { lookForUnsealed, recordHorizon, type Sighting } from '../../data/audit/horizon.ts';
import { createYielder } from '../../platform/event-loop.ts';
import { isDatabaseUnavailable, type Trx } from '../../platform/postgres.ts';
import type { AuditContext, AuditPorts, Runtime } from '../context.ts';
import { startRounds, type Rounds } from '../rounds.ts';
import { createIndexer } from './indexer.ts';
import {
  keepSigned,
  NOTHING_TO_KEEP,
  prepareSigning,
  writeCheckpoints,
  type ExtendedChain,
  type SignedBatch,
  type Signing,
} from './signing.ts';

const EVERY_MS = 1_000;
/** Fewer and larger transactions write the same index for less. Until then, lists read events as they are. */
const INDEX_EVERY_MS = 5_000;
/** Events of a batch: 28 ms of processor time at most between two turns of the event loop. With 5,000 it was 100. */
const BATCH = 2_000;
/** Checkpoints of a batch that are due although nothing was added. */
const CHECKPOINTS = 500;

export function startSealing(context: AuditContext): Rounds {
  if (!context.auditKey)
    context.logger.info(
      'COUNTERSIGN_AUDIT_KEY is not set: the audit log is chained, but no checkpoint is signed',
    );
  const toIndex = new Set<string>();
  const sealing = startRounds(context, {
    what: 'sealing of audit events',
    everyMs: EVERY_MS,
    work: async () => {
      for (const id of await sealAll(context)) toIndex.add(id);
    },
  });
  if (context.edition !== 'hosted') return sealing;
  const indexer = createIndexer(context);
  // Separate rounds: a large batch takes seconds, and sealing does not wait for it.
  const indexing = startRounds(context, {
    what: 'indexing of audit events',
    everyMs: INDEX_EVERY_MS,
    work: async () => {
      const chains = [...toIndex];
      toIndex.clear();
      await indexer.index(chains);
    },
  });
  return {
    stop: async () => {
      await Promise.all([sealing.stop(), indexing.stop()]);
    },
  };
}

interface SealOptions {
  readonly batch?: number;
  /** Tests move time by it. */
  readonly floor?: Date;
  /** Before the process ends: also signs what would wait for its minute. It begins no batch after this, by `performance.now()`. */
  readonly lastUntil?: number;
}

/** Later than any checkpoint is due. */
const ALL_DUE = new Date('9999-01-01T00:00:00.000Z');
const LAST_WITHIN_MS = 1_500;

/** The last round of a process, once nothing writes events any more, so that all of it is signed. Never rejects. */
export async function sealBeforeEnd(context: AuditContext): Promise<void> {
  const lastUntil = performance.now() + LAST_WITHIN_MS;
  await sealAll(context, { lastUntil }).catch((error: unknown) => {
    context.logger.warn(
      { err: error },
      'the last audit events are not sealed; the next process seals them',
    );
  });
}

/**
 * Exported for tests: one round. Seals everything that is committed, but what another process is sealing. Returns the
 * organizations of what it sealed.
 */
export async function sealAll(
  context: AuditContext,
  { batch = BATCH, floor, lastUntil }: SealOptions = {},
): Promise<ReadonlySet<string>> {
  const how = { floor, everyMs: lastUntil === undefined ? CHECKPOINT_MS : 0 };
  const dueBy = lastUntil === undefined ? floor : ALL_DUE;
  const isOver = () =>
    lastUntil === undefined ? context.stopping.aborted : performance.now() > lastUntil;
  const without = new Set<string>();
  const all = new Set<string>();
  for (;;) {
    const sighting = await look(context, { batch, without, dueBy });
    const organizationIds = chainsIn(sighting);
    if (organizationIds.length === 0) return all;
    const sealed = await sealChains(context, organizationIds, { sighting, ...how });
    for (const id of organizationIds) (sealed.has(id) ? all : without).add(id);
    const isLast =
      (sighting.unsealed?.count ?? 0) < batch && sighting.checkpointsDue.length < CHECKPOINTS;
    if (isLast || isOver()) break;
  }
  if (without.size === 0) context.metrics.auditUnsealedSince.clear();
  return all;
}

async function look(
  { db, auditKey, metrics }: AuditContext,
  {
    batch,
    without,
    dueBy,
  }: {
    readonly batch: number;
    readonly without: ReadonlySet<string>;
    readonly dueBy: Date | undefined;
  },
): Promise<Sighting> {
  const sighting = await lookForUnsealed(db, {
    limit: batch,
    without: [...without],
    checkpoints: auditKey ? CHECKPOINTS : 0,
    dueBy,
  });
  // A look that leaves organizations out says nothing about all of them.
  if (without.size > 0) return sighting;
  if (sighting.unsealed) metrics.auditUnsealedSince.set(sighting.unsealed.oldest);
  else metrics.auditUnsealedSince.clear();
  const next = nextHorizon(sighting.horizon, sighting.look);
  if (next) await recordHorizon(db, { from: sighting.horizon, to: next });
  return sighting;
}

function chainsIn({ unsealed, checkpointsDue: due }: Sighting): readonly string[] {
  return [...new Set([...(unsealed?.organizationIds ?? []), ...due])];
}

/** Together, and one by one when that fails, so that one chain does not hold up the others. Returns those that it sealed. */
async function sealChains(
  context: AuditContext,
  organizationIds: readonly string[],
  how: {
    readonly sighting: Sighting;
    readonly floor: Date | undefined;
    readonly everyMs: number;
  },
): Promise<ReadonlySet<string>> {
  const { sighting, floor, everyMs } = how;
  const range = { from: sighting.unsealed?.from ?? 0, to: sighting.unsealed?.to ?? 0 };
  try {
    const signing = await prepareSigning(context, everyMs);
    const { locked, signed } = await context.db.transaction((trx) =>
      sealBatch(trx, context, { ...range, organizationIds, floor, signing }),
    );
    await keepSigned(context, signed);
    return new Set(locked);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    context.logger.warn(
      { err: error, organizations: organizationIds },
      'chains could not be sealed',
    );
  }
  if (organizationIds.length === 1) return new Set();
  const each: ReadonlySet<string>[] = [];
  for (const id of organizationIds) each.push(await sealChains(context, [id], how));
  return new Set(each.flatMap((sealed) => [...sealed]));
}

interface Batch {
  readonly from: number;
  readonly to: number;
  readonly organizationIds: readonly string[];
  readonly floor: Date | undefined;
  readonly signing: Signing;
}

interface SealedBatch {
  readonly locked: readonly string[];
  readonly signed: SignedBatch;
}

/**
 * Seals the events of these organizations in a range of sequences, and returns the organizations that no other process was
 * sealing.
 */
async function sealBatch(
  trx: Trx,
  runtime: Runtime & AuditPorts,
  { organizationIds, floor, signing, ...range }: Batch,
): Promise<SealedBatch> {
  const locked = await tryLockChains(trx, organizationIds);
  if (locked.length === 0) return { locked, signed: NOTHING_TO_KEEP };
  const { ends, now } = await readChainEnds(trx, locked, floor);
  const events =
    range.to > range.from ? await readUnsealed(trx, { ...range, organizationIds: locked }) : [];
  const chains = await extend(ends, events);
  const signed = await writeCheckpoints(trx, runtime, { chains, now, signing });
  await insertEntries(
    trx,
    chains.flatMap(({ sealed }) => sealed),
  );
  return { locked, signed };
}

/** Shares the event loop while it computes hashes. */
async function extend(
  ends: readonly ChainEnd[],
  events: readonly StoredEvent[],
): Promise<readonly ExtendedChain[]> {
  const yieldIfDue = createYielder();
  const chains = new Map(
    ends.map((end) => [end.organizationId, { end, at: end.head, sealed: [] as SealedEvent[] }]),
  );
  for (const event of events) {
    const chain = chains.get(event.organizationId);
    if (!chain) continue;
    const entry: ChainEntry = nextEntry(
      event.organizationId,
      chain.at,
      leafOf(canonicalLine(event)),
    );
    chain.at = entry;
    chain.sealed.push({ ...entry, event });
    await yieldIfDue();
  }
  return [...chains.values()].map(({ end, sealed }) => ({ ...end, sealed }));
}
