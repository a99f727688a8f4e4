/** What the page of deliveries reads and sends. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { BACKGROUND, call, isUnconfirmed } from '../../../shared/api/api.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { keptRows } from '../../../shared/api/lists.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import type { DeliveriesSearch } from './shown.ts';

export type Delivery = components['schemas']['NotificationDelivery'];

const POLL_MS = 15_000;

const SPAN_MS = { '1h': 3_600_000, '1d': 86_400_000, '7d': 604_800_000 } as const;

/** Where a page begins. All pages of a list begin at the same instant. */
interface Place {
  readonly from: string | undefined;
  readonly cursor: string | undefined;
}

const PATH = '/api/v1/notification_deliveries';

const beginOf = (since: DeliveriesSearch['since']): string | undefined =>
  since && new Date(serverNow() - SPAN_MS[since]).toISOString();

export const deliveriesQuery = (search: DeliveriesSearch) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', search],
    queryFn: async ({ signal, pageParam }) => {
      const { delivery: status, channel, request, member, since } = search;
      const from = pageParam ? pageParam.from : beginOf(since);
      const query = {
        ...(status && { status }),
        ...(channel !== undefined && { channel_id: channel }),
        ...(request !== undefined && { request_id: request }),
        ...(member !== undefined && { membership_id: member }),
        ...(from !== undefined && { from_at: from }),
        ...(pageParam?.cursor !== undefined && { cursor: pageParam.cursor }),
      };
      const { body } = await call('get', PATH, { params: { query }, headers: BACKGROUND, signal });
      return { ...body, from };
    },
    initialPageParam: undefined as Place | undefined,
    getNextPageParam: ({ next_cursor: cursor, from }): Place | undefined =>
      cursor === undefined ? undefined : { cursor, from },
    placeholderData: keptRows(['deliveries']),
    // Pages further down stay as they were read.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? POLL_MS : false),
  });

export async function retryDelivery(id: string): Promise<void> {
  await call('post', `${PATH}/{id}/retry`, { params: { path: { id } } });
}

export interface Retried {
  readonly all: number;
  readonly done: number;
  /** What the service said, and to how many. */
  readonly failures: ReadonlyMap<string, number>;
  /** Why the rest was not sent. */
  readonly stoppedBy: string | undefined;
}

/** One after the other: the service lets only so many calls pass in a minute. It stops when no more of them get through. */
export async function retryAll(
  ids: readonly string[],
  onProgress: (retried: Retried) => void,
): Promise<Retried> {
  const failures = new Map<string, number>();
  let done = 0;
  let stoppedBy: string | undefined;
  const retried = (): Retried => ({
    all: ids.length,
    done,
    failures: new Map(failures),
    stoppedBy,
  });
  onProgress(retried());
  for (const id of ids) {
    try {
      await retryDelivery(id);
      done += 1;
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      if (isUnconfirmed(error)) {
        stoppedBy = why;
        break;
      }
      failures.set(why, (failures.get(why) ?? 0) + 1);
    }
    onProgress(retried());
  }
  const ended = retried();
  onProgress(ended);
  return ended;
}
