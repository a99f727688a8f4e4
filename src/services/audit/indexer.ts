/** Keeps the index of audit events up with the chains (hosted edition): readers find events by it, and count them. */
import {
  analyzeIndex,
  findChainsToIndex,
  indexNext,
  oldestUnindexed,
} from '../../data/audit/event-index.ts';
import { isDatabaseUnavailable } from '../../platform/postgres.ts';
import type { AuditContext } from '../context.ts';

/** Events of a transaction. */
const BATCH = 10_000;
/** How often it looks at all chains: some may be behind after a change of edition, or because another process ended. */
const LOOK_EVERY_MS = 60_000;

export interface Indexer {
  /** Indexes what was sealed in these chains, and what is left from before. */
  index(sealed: Iterable<string>): Promise<void>;
}

/** Apart from sealing, so that nothing that fails here stops it. */
export function createIndexer(context: AuditContext, { batch = BATCH } = {}): Indexer {
  const { db, metrics, stopping } = context;
  let behind: ReadonlySet<string> = new Set();
  let nextLook = 0;
  const tellOldest = async () => {
    const oldest = behind.size > 0 ? await oldestUnindexed(db, [...behind]) : undefined;
    if (oldest) metrics.auditUnindexedSince.set(oldest);
    else metrics.auditUnindexedSince.clear();
  };
  return {
    index: async (sealed) => {
      behind = new Set([...behind, ...sealed]);
      if (performance.now() >= nextLook) {
        behind = new Set([...behind, ...(await findChainsToIndex(db))]);
        nextLook = performance.now() + LOOK_EVERY_MS;
      }
      const failed = new Set<string>();
      let full = 0;
      while (behind.size > failed.size && !stopping.aborted) {
        await tellOldest();
        const organizationIds = [...behind].filter((id) => !failed.has(id));
        const count = await indexBatch(context, { organizationIds, limit: batch, failed });
        if (count < batch) {
          behind = failed;
          break;
        }
        full += 1;
        // Postgres would plan searches for empty tables until it analyzes them by itself.
        if (full === 1) await analyzeIndex(db);
      }
      if (full > 1) await analyzeIndex(db);
      await tellOldest();
    },
  };
}

interface Batch {
  readonly organizationIds: readonly string[];
  readonly limit: number;
  /** Gets the chains that could not be indexed. */
  readonly failed: Set<string>;
}

/** Together, and one by one when that fails, so that one chain does not hold up the others. */
async function indexBatch(
  context: AuditContext,
  { organizationIds, limit, failed }: Batch,
): Promise<number> {
  try {
    return await context.db.transaction((trx) => indexNext(trx, { organizationIds, limit }));
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    context.logger.warn(
      { err: error, organizations: organizationIds },
      'audit events could not be indexed',
    );
  }
  if (organizationIds.length === 1) {
    for (const id of organizationIds) failed.add(id);
    return 0;
  }
  let most = 0;
  for (const id of organizationIds)
    most = Math.max(most, await indexBatch(context, { organizationIds: [id], limit, failed }));
  return most;
}
