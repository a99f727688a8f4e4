/** In which order a reader gets audit events, and what a cursor belongs to. */
import { createHash } from 'node:crypto';
import { printedFilter, type AuditFilter } from './filters.ts';

export const AUDIT_SORTS = ['occurred', 'event_type', 'actor'] as const;
export const AUDIT_ORDERS = ['asc', 'desc'] as const;

/** Among equals, the newest comes first in either order. */
export interface AuditOrder {
  readonly sort: (typeof AUDIT_SORTS)[number];
  readonly order: (typeof AUDIT_ORDERS)[number];
}

/** The same for queries that have the same events in the same order, whatever the order of their types. */
export function queryDigest({ sort, order }: AuditOrder, filter: AuditFilter): string {
  const { eventTypes } = filter;
  const types = eventTypes && [...new Set(eventTypes)].sort();
  const query = [sort, order, printedFilter({ ...filter, eventTypes: types })];
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 22);
}
