/** The list of requests, kept up to date without moving what a reader looks at. */
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
  type QueryClient,
} from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { call } from '../../../shared/api/api.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { firstChanges, firstChangesQuery, type Changes } from '../../../shared/live/changes.ts';
import { followChanges, listen } from '../../../shared/live/follow.ts';
import { lookForNewBuild } from '../../../shared/browser/new-build.ts';
import type { Message } from '../../../shared/live/poll.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { JUST_READ_MS, requestKey, requestQuery } from '../requests-data.ts';
import {
  arrivalsOf,
  NO_CHANGES,
  rowsOf,
  withChanges,
  type ChangeLog,
  type Page,
  type Summary,
} from './change-log.ts';
import { listQueryOf, type QueueSearch } from './queue-search.ts';

type Counts = Changes['counts'];

const REQUESTS = ['requests'] as const;
const LIST = [...REQUESTS, 'list'] as const;
const LOG = [...REQUESTS, 'log'] as const;
const COUNTS = [...REQUESTS, 'counts'] as const;

/** A tab that is open for days reads its lists again rather than keeping more. */
const MOST_LOGGED = 1_000;

const listOptions = (search: QueueSearch) =>
  infiniteQueryOptions({
    queryKey: [...LIST, search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal, client }): Promise<Page> => {
      await firstChanges(client);
      const [sentAt, readAt] = [performance.now(), serverNow() / 1_000];
      const query = {
        ...listQueryOf(search),
        ...(pageParam !== undefined && { cursor: pageParam }),
      };
      const { body } = await call('get', '/api/v1/requests', { signal, params: { query } });
      return { requests: body.requests as Summary[], next: body.next_cursor, sentAt, readAt };
    },
    getNextPageParam: ({ next }) => next,
    staleTime: JUST_READ_MS,
    // A list moves only when its reader asks: by another tab or filter, or for the arrivals.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** On a fast network a page is drawn once, with what it shows. A slow one draws its frame first. */
const AHEAD_MS = 300;

/** Reads what the page will show before it is drawn. */
export async function readAhead(
  queries: QueryClient,
  { actor, search, id }: { actor: string; search: QueueSearch; id: string | undefined },
): Promise<void> {
  // Before anything is read, so that no change falls between. What was read earlier may miss some.
  listen(actor);
  const read = Promise.all([
    showFirstCounts(queries),
    queries.prefetchInfiniteQuery({ ...listOptions(search), staleTime: 0 }),
    id !== undefined && queries.prefetchQuery({ ...requestQuery(id), staleTime: 0 }),
  ]);
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, AHEAD_MS))]);
}

async function showFirstCounts(queries: QueryClient): Promise<void> {
  const first = await firstChanges(queries);
  if (first) queries.setQueryData(COUNTS, first.counts);
}

/** The list, its rows as they are now, and how many requests came since it was read. */
export function useQueue(search: QueueSearch) {
  const list = useInfiniteQuery(listOptions(search));
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: log = NO_CHANGES } = useQuery<ChangeLog>({ queryKey: LOG, enabled: false });
  const member = account.principal.membership_id;
  const pages = list.data?.pages;
  const rows = useMemo(() => pages && rowsOf(pages, log), [pages, log]);
  const arrivals = useMemo(
    () => (pages ? arrivalsOf(log, { pages, search, member }).length : 0),
    [pages, log, search, member],
  );
  return { list, rows, arrivals };
}

export type Queue = ReturnType<typeof useQueue>;

export const useCounts = (): Counts | undefined =>
  useQuery<Counts>({ queryKey: COUNTS, enabled: false }).data;

export function useShowArrivals(): () => void {
  const queries = useQueryClient();
  return () => {
    queries.setQueryData(LOG, NO_CHANGES);
    void queries.resetQueries({ queryKey: LIST });
  };
}

/** Where the open request is among the rows of the list. */
export interface Place {
  /** From 1. Undefined where it is not among the rows that were read, such as after its decision. */
  readonly number: number | undefined;
  readonly total: number;
  /** There are more than `total`. */
  readonly isMore: boolean;
  readonly previous: string | undefined;
  readonly next: string | undefined;
  /** The request to decide after this one: the next in the list that waits for the reader, or the first. */
  readonly toDecide: string | undefined;
}

export function usePlace(id: string): Place {
  const { list, rows = [] } = useQueue(useSearch({ from: '/signed-in/queue' }));
  const at = rows.findIndex((each) => each.id === id);
  const [last, setLast] = useState({ id, at });
  if (last.id !== id || (at !== -1 && at !== last.at)) setLast({ id, at });
  // Decided, it has left: another one is in its place.
  const after = at === -1 ? Math.max(0, last.at) : at + 1;
  const isOpen = (each: Summary) => each.id !== id && each.status === 'pending' && each.can_decide;
  return {
    number: at === -1 ? undefined : at + 1,
    total: rows.length,
    isMore: list.hasNextPage,
    previous: at === -1 ? undefined : rows[at - 1]?.id,
    next: at === -1 ? undefined : rows[at + 1]?.id,
    toDecide: (rows.slice(after).find(isOpen) ?? rows.find(isOpen))?.id,
  };
}

/** Keeps lists, counts and the open request up to date while the queue is shown. */
export function useLiveQueue(): { readonly isCut: boolean } {
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const actor = account.principal.actor_id;
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    let wasCut = false;
    const receive = (message: Message) => {
      if (message.kind === 'refused') void checkAccess(queries, message.status);
      else setCut(message.kind === 'cut');
      if (message.kind === 'changes') {
        applyChanges(queries, message.changes);
        // A service that was away may have been updated.
        void lookForNewBuild({ atOnce: wasCut });
      }
      wasCut = message.kind === 'cut';
    };
    const unfollow = followChanges({
      actor,
      receive,
      begin: async () => await firstChanges(queries),
    });
    return () => {
      unfollow();
      queries.removeQueries({ queryKey: firstChangesQuery.queryKey });
      // No change is heard from here on, so nothing may be shown again that was read before.
      queries.removeQueries({ queryKey: REQUESTS });
    };
  }, [queries, actor]);
  return { isCut };
}

/**
 * Who is signed in, and what they may do: whether the session ended is decided by its watcher. Without the
 * permission, nothing stays that was read with it.
 */
async function checkAccess(queries: QueryClient, status: 401 | 403): Promise<void> {
  const account = { ...accountQuery, staleTime: 0, retry: false };
  await queries.fetchQuery(account).catch(() => undefined);
  if (status === 403) await queries.resetQueries({ queryKey: REQUESTS });
}

function applyChanges(queries: QueryClient, { changed, gone, reset, counts }: Changes): void {
  queries.setQueryData(COUNTS, counts);
  const log = withChanges(
    queries.getQueryData(LOG) ?? NO_CHANGES,
    { changed, gone },
    performance.now(),
  );
  const isTooLong = log.size > MOST_LOGGED;
  queries.setQueryData(LOG, isTooLong ? NO_CHANGES : log);
  if (reset || isTooLong) void readAgain(queries, REQUESTS);
  else
    for (const id of [...changed.map((each) => each.id), ...gone])
      void readAgain(queries, requestKey(id));
}

/** What is just being read may be older than the change. */
async function readAgain(queries: QueryClient, queryKey: readonly string[]): Promise<void> {
  await queries.cancelQueries({ queryKey });
  await queries.invalidateQueries({ queryKey });
}

/** The reader decided this request: it leaves the lists at once. */
export function dropDecided(queries: QueryClient, id: string): void {
  queries.setQueryData<ChangeLog>(LOG, (log = NO_CHANGES) =>
    withChanges(log, { changed: [], gone: [id] }, performance.now()),
  );
  void readAgain(queries, requestKey(id));
}
