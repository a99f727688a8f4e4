/** Who is signed in. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { components } from './openapi.d.ts';
import { call } from './api.ts';

export type Account = components['schemas']['Account'];

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/me', { signal })).body,
  staleTime: 60_000,
});

export const hasPermission = ({ principal }: Account, permission: string): boolean =>
  principal.permissions.some((each) => each === permission);

/** Another user may have been signed in before: nothing of theirs stays. */
export function startSession(queries: QueryClient, account: Account): void {
  queries.clear();
  queries.setQueryData(accountQuery.queryKey, account);
}
