/** The list of requests, kept up to date without moving what a reader looks at. */
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call } from '../../../shell/api.ts';
import { followChanges, type Changes } from '../../../shell/live.ts';
import type { components } from '../../../shell/openapi.d.ts';
import { accountQuery } from '../../../shell/session.ts';
import { requestKey } from '../requests-data.ts';
import { fitsSearch, listQueryOf, type QueueSearch } from './queue-search.ts';

export type Summary = components['schemas']['ApprovalRequestSummary'];
export type Counts = Changes['counts'];

interface Page {
  readonly requests: readonly Summary[];
  readonly next: string | undefined;
}

const LIST = ['requests', 'list'] as const;
const ARRIVALS = ['requests', 'arrivals'] as const;
const COUNTS = ['requests', 'counts'] as const;

/** A tab that is open for days keeps no more. */
const MOST_ARRIVALS = 500;

const listOptions = (search: QueueSearch) =>
  infiniteQueryOptions({
    queryKey: [...LIST, search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const query = {
        ...listQueryOf(search),
        ...(pageParam !== undefined && { cursor: pageParam }),
      };
      const { body } = await call('get', '/api/v1/requests', { signal, params: { query } });
      return { requests: body.requests as Summary[], next: body.next_cursor };
    },
    getNextPageParam: ({ next }) => next,
    // A list moves only when its reader asks: by another tab or filter, or for the arrivals.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const useQueueList = (search: QueueSearch) => useInfiniteQuery(listOptions(search));

export const useCounts = (): Counts | undefined =>
  useQuery<Counts>({ queryKey: COUNTS, enabled: false }).data;

/** How many requests changed since the list was read, and would now be among its rows. */
export function useArrivals(search: QueueSearch): number {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: changed = [] } = useQuery<readonly Summary[]>({
    queryKey: ARRIVALS,
    enabled: false,
  });
  const { data, hasNextPage } = useQueueList(search);
  if (!data) return 0;
  const rows = data.pages.flatMap((page) => page.requests);
  const shown = new Set(rows.map(({ id }) => id));
  const last = rows.at(-1);
  // What comes behind the rows that were read appears when the reader scrolls there.
  const isBehind = (request: Summary): boolean =>
    hasNextPage && last !== undefined && comesBefore(last, request, search);
  const member = account.principal.membership_id;
  return changed.filter(
    (request) =>
      !shown.has(request.id) && !isBehind(request) && fitsSearch(request, search, member),
  ).length;
}

const comesBefore = (one: Summary, other: Summary, { sort }: QueueSearch): boolean =>
  sort === 'deadline' ? one.deadline_at < other.deadline_at : one.created_at > other.created_at;

export function useShowArrivals(): () => void {
  const queries = useQueryClient();
  return () => {
    queries.setQueryData(ARRIVALS, []);
    void queries.resetQueries({ queryKey: LIST });
  };
}

/** Another request of the open list: the one with the least time left, or the oldest. */
export function useNextRequest(id: string): string | undefined {
  const search = useSearch({ from: '/signed-in/queue' });
  const { data } = useQueueList(search);
  const others = data?.pages
    .flatMap((page) => page.requests)
    .filter((each) => each.id !== id && each.status === 'pending' && each.can_decide);
  return (search.sort === 'deadline' ? others?.[0] : others?.at(-1))?.id;
}

/** Keeps lists, counts and the open request up to date while the queue is shown. */
export function useLiveQueue(): void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  useEffect(
    () =>
      followChanges((message) => {
        if (message.kind === 'changes') applyChanges(queries, message.changes);
        else
          void navigate({
            to: '/login',
            search: { return_to: location.pathname + location.search },
          });
      }),
    [queries, navigate],
  );
}

export function applyChanges(
  queries: QueryClient,
  { changed, gone, reset, counts }: Changes,
): void {
  queries.setQueryData(COUNTS, counts);
  if (reset) {
    void queries.invalidateQueries({ queryKey: ['requests'] });
    return;
  }
  for (const id of [...changed.map((each) => each.id), ...gone])
    void queries.invalidateQueries({ queryKey: requestKey(id) });
  queries.setQueriesData<InfiniteData<Page>>({ queryKey: LIST }, (data) => {
    if (!data) return data;
    return { ...data, pages: data.pages.map((page) => updatePage(page, changed, gone)) };
  });
  const isOver = (id: string) => gone.includes(id) || changed.some((each) => each.id === id);
  queries.setQueryData<readonly Summary[]>(ARRIVALS, (before = []) =>
    [...changed, ...before.filter(({ id }) => !isOver(id))].slice(0, MOST_ARRIVALS),
  );
}

function updatePage(page: Page, changed: readonly Summary[], gone: readonly string[]): Page {
  const byId = new Map(changed.map((each) => [each.id, each]));
  return {
    ...page,
    requests: page.requests
      .filter(({ id, status }) => status !== 'pending' || !gone.includes(id))
      .map((each) => byId.get(each.id) ?? each),
  };
}
