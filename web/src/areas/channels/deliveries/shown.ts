/** Which messages the page shows. Pure. */
import type { Given } from './deliveries-search.ts';

export const STATUSES = ['dead', 'pending', 'delivered', 'dropped'] as const;
export const SPANS = ['1h', '1d', '7d'] as const;

export interface DeliveriesSearch {
  /** Named so that it is no filter of requests. */
  readonly delivery?: (typeof STATUSES)[number];
  readonly since?: (typeof SPANS)[number];
  /** Ids. */
  readonly channel?: string;
  readonly request?: string;
  readonly member?: string;
}

const ID = /^[\da-f]{8}-[\da-f-]{27}$/i;

/** Without what no message can have. */
export function knownOf(given: Given): DeliveriesSearch {
  const delivery = STATUSES.find((each) => each === given.delivery);
  const since = SPANS.find((each) => each === given.since);
  const ids = (['channel', 'request', 'member'] as const).flatMap((name) => {
    const id = given[name];
    return id !== undefined && ID.test(id) ? [[name, id] as const] : [];
  });
  return { ...(delivery && { delivery }), ...(since && { since }), ...Object.fromEntries(ids) };
}
