/** Reading the changes of the queue. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { components } from '../api/openapi.d.ts';
import { BACKGROUND, call } from '../api/api.ts';

export type Changes = components['schemas']['RequestChanges'];

const WAIT = '25s';
const TIMEOUT_MS = 40_000;

interface Reading {
  /** Without it, the response has only counts and a cursor. */
  readonly after?: string | undefined;
  /** Waits up to 25 s for changes. */
  readonly waits?: boolean;
  readonly signal: AbortSignal;
}

export async function readChanges({ after, waits, signal }: Reading): Promise<Changes> {
  const query = {
    scope: 'visible',
    ...(after !== undefined && { after }),
    ...(waits && { wait: WAIT }),
  } as const;
  // A connection that died while a laptop slept would otherwise be waited for.
  const timely = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const init = { signal: timely, headers: BACKGROUND, params: { query } };
  return (await call('get', '/api/v1/requests/changes', init)).body;
}

/** Lists do not wait for it any longer. They are then read again once changes are named. */
const FIRST_TIMEOUT_MS = 3_000;

/** From where on changes are named. */
export const firstChangesQuery = queryOptions({
  queryKey: ['first-changes'],
  queryFn: async ({ signal }) =>
    await readChanges({ signal: AbortSignal.any([signal, AbortSignal.timeout(FIRST_TIMEOUT_MS)]) }),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Lists and requests are read after it, so that no change falls between. Undefined once it has failed. */
export async function firstChanges(queries: QueryClient): Promise<Changes | undefined> {
  const { queryKey } = firstChangesQuery;
  if (queries.getQueryState(queryKey)?.status === 'error') return undefined;
  return await queries.ensureQueryData(firstChangesQuery).catch(() => undefined);
}
