/** The list of requests, kept up to date without moving what a reader looks at. */
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call } from '../../../shell/api.ts';
import { followChanges, type Changes } from '../../../shell/live.ts';
import type { components } from '../../../shell/openapi.d.ts';
import { requestKey } from '../requests-data.ts';
import { listQueryOf, type QueueSearch } from './queue-search.ts';

export type Summary = components['schemas']['ApprovalRequestSummary'];
export type Counts = Changes['counts'];

interface Page {
  readonly requests: readonly Summary[];
  readonly next: string | undefined;
}

const LIST = ['requests', 'list'] as const;
const ARRIVALS = ['requests', 'arrivals'] as const;
const COUNTS = ['requests', 'counts'] as const;

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
    staleTime: Infinity,
  });

export const useQueueList = (search: QueueSearch) => useInfiniteQuery(listOptions(search));

export const useCounts = (): Counts | undefined =>
  useQuery<Counts>({ queryKey: COUNTS, enabled: false }).data;

/** Ids of requests that came since the list was read. */
export const useArrivals = (): readonly string[] =>
  useQuery<readonly string[]>({ queryKey: ARRIVALS, enabled: false }).data ?? [];

export function useShowArrivals(): () => void {
  const queries = useQueryClient();
  return () => {
    queries.setQueryData(ARRIVALS, []);
    void queries.resetQueries({ queryKey: LIST });
  };
}

/** The one that waits longest in the list that is shown, other than this one. */
export function useNextRequest(id: string): string | undefined {
  const queries = useQueryClient();
  const lists = queries.getQueriesData<InfiniteData<Page>>({ queryKey: LIST });
  const requests = lists.flatMap(([, data]) => data?.pages.flatMap((page) => page.requests) ?? []);
  return requests.findLast((each) => each.id !== id && each.status === 'pending' && each.can_decide)
    ?.id;
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
  const known = new Set<string>();
  queries.setQueriesData<InfiniteData<Page>>({ queryKey: LIST }, (data) => {
    if (!data) return data;
    for (const { requests } of data.pages) for (const { id } of requests) known.add(id);
    return { ...data, pages: data.pages.map((page) => updatePage(page, changed, gone)) };
  });
  const arrived = changed.flatMap(({ id }) => (known.has(id) ? [] : [id]));
  queries.setQueryData<readonly string[]>(ARRIVALS, (before = []) =>
    [...new Set([...before, ...arrived])].filter((id) => !gone.includes(id)),
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
