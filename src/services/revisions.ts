/** Revisioned documents of every kind: create, read, list and activate revisions under one set of rules. */
import { LRUCache } from 'lru-cache';
import type { ServiceContext } from './context.ts';

/** Text of all documents a cache holds at most, in characters. What is made of a document is some ten times as large. */
const CACHED_CHARACTERS = 8 * 1024 * 1024;

/**
 * Keeps what was made of revisions, by revision id. Revisions never change, so nothing is ever invalidated. `load` gives
 * the value and the size of the document it was made of.
 */
export function revisionCache<T extends object>(
  load: (context: ServiceContext, revisionId: string) => Promise<{ readonly value: T; readonly size: number }>,
): (context: ServiceContext, revisionId: string) => Promise<T> {
  const cache = new LRUCache<string, T>({ max: 2_000, maxSize: CACHED_CHARACTERS });
  return async (context, revisionId) => {
    const cached = cache.get(revisionId);
    if (cached) return cached;
    const { value, size } = await load(context, revisionId);
    cache.set(revisionId, value, { size: Math.max(size, 1) });
    return value;
  };
}
