/**
 * What changed since the lists were read. Lists are shown with it, so that a page under way cannot
 * bring back what a change has removed. Pure.
 */
import type { components } from '../../../shared/api/openapi.d.ts';
import { fitsSearch, type QueueSearch } from './queue-search.ts';

export type Summary = components['schemas']['ApprovalRequestSummary'];

export interface Page {
  readonly requests: readonly Summary[];
  readonly next: string | undefined;
  /** When its call was sent, in milliseconds of the tab's clock. */
  readonly sentAt: number;
  /** The same in seconds, by the clock of the service. */
  readonly readAt: number;
}

interface Change {
  /** When this tab heard of it. */
  readonly at: number;
  /** Undefined: it is decided, or no longer visible. */
  readonly request: Summary | undefined;
}

/** The last change of each request, by its id. The newest is the last entry. */
export type ChangeLog = ReadonlyMap<string, Change>;

export const NO_CHANGES: ChangeLog = new Map();

interface Changes {
  readonly changed: readonly Summary[];
  /** Ids. */
  readonly gone: readonly string[];
}

export function withChanges(log: ChangeLog, { changed, gone }: Changes, at: number): ChangeLog {
  const next = new Map(log);
  const put = (id: string, request: Summary | undefined) => {
    next.delete(id);
    next.set(id, { at, request });
  };
  for (const request of changed.toReversed()) put(request.id, request);
  for (const id of gone) put(id, undefined);
  return next;
}

/** The rows of the pages as they are now. They keep their order, and arrivals are not among them. */
export function rowsOf(pages: readonly Page[], log: ChangeLog): readonly Summary[] {
  const rows = new Map<string, Summary>();
  for (const { requests, sentAt } of pages)
    for (const request of requests) {
      const shown = afterChange(request, log.get(request.id), sentAt);
      if (shown && !rows.has(shown.id)) rows.set(shown.id, shown);
    }
  return [...rows.values()];
}

function afterChange(
  request: Summary,
  change: Change | undefined,
  sentAt: number,
): Summary | undefined {
  if (!change || change.at < sentAt || request.status !== 'pending') return request;
  const { request: changed } = change;
  // The page may have been read after the change, although it was asked for before.
  return changed && changed.updated_at < request.updated_at ? request : changed;
}

interface Shown {
  readonly pages: readonly Page[];
  readonly search: QueueSearch;
  /** Whose claims are their own. */
  readonly member: string | undefined;
}

/** Requests that came or changed after the list was read, and would now be among its rows. */
export function arrivalsOf(log: ChangeLog, { pages, search, member }: Shown): readonly Summary[] {
  const rows = pages.flatMap(({ requests }) => requests);
  const shown = new Set(rows.map(({ id }) => id));
  const last = rows.at(-1);
  const hasMore = pages.at(-1)?.next !== undefined;
  const sentAt = pages[0]?.sentAt ?? 0;
  return [...log.values()].flatMap(({ at, request }) => {
    if (!request || at < sentAt || shown.has(request.id)) return [];
    // What comes after the rows that were read appears when the reader scrolls there.
    const isBehind = hasMore && last !== undefined && comesBefore(last, request, search);
    return !isBehind && fitsSearch(request, search, member) ? [request] : [];
  });
}

function comesBefore(one: Summary, other: Summary, { sort }: QueueSearch): boolean {
  if (sort === 'created') return one.created_at > other.created_at;
  if (one.urgency !== other.urgency) return one.urgency === 'interrupt';
  return one.deadline_at < other.deadline_at;
}
