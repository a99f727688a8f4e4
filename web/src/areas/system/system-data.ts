/** What the page of the service reads. It reads again by itself while it is visible. */
import { queryOptions } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type System = components['schemas']['System'];

const EVERY_MS = 10_000;

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/system', { headers: BACKGROUND, signal })).body,
  refetchInterval: EVERY_MS,
});
