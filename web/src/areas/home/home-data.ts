/** What the home of managers reads. */
import { queryOptions } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type Overview = components['schemas']['Overview'];

const POLL_MS = 30_000;

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/overview', { headers: BACKGROUND, signal })).body,
  refetchInterval: POLL_MS,
});
