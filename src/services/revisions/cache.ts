/** Caches what was prepared from revisions: compiled rules, read paths. */
import { LRUCache } from 'lru-cache';
import type { Db } from '../../platform/postgres.ts';

/**
 * Characters of all documents that a cache holds. A prepared document takes about 16 times as many
 * bytes.
 */
const CACHED_CHARACTERS = 4 * 1024 * 1024;

/**
 * Caches values derived from revisions, by revision id. Revisions never change, so nothing is
 * invalidated. A caller waits for a load in progress, unless it holds a transaction: the load may
 * need that very connection. `load` returns the value and the size of its document.
 */
export function revisionCache<T extends object>(
  load: (db: Db, revisionId: string) => Promise<{ readonly value: T; readonly size: number }>,
): (db: Db, revisionId: string) => Promise<T> {
  const cache = new LRUCache<string, T>({ max: 2_000, maxSize: CACHED_CHARACTERS });
  const loading = new Map<string, Promise<T>>();
  const keep = async (db: Db, revisionId: string): Promise<T> => {
    const { value, size } = await load(db, revisionId);
    cache.set(revisionId, value, { size: Math.max(size, 1) });
    return value;
  };
  return async (db, revisionId) => {
    const cached = cache.get(revisionId);
    if (cached) return cached;
    if (db.isTransaction) return await keep(db, revisionId);
    const started =
      loading.get(revisionId) ?? keep(db, revisionId).finally(() => loading.delete(revisionId));
    loading.set(revisionId, started);
    return await started;
  };
}
