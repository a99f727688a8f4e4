/** What the pages of the audit log read. */
import { queryOptions } from '@tanstack/react-query';
import { BACKGROUND, call, type BodyOf } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import { filterOf } from './audit-filter.ts';
import type { AuditSearch } from './audit-search.ts';

const PAGE = 50;
const POLL_MS = 10_000;

const orderOf = ({ order }: AuditSearch) => {
  if (order === 'oldest') return { sort: 'occurred', order: 'asc' } as const;
  if (order === 'event') return { sort: 'event_type', order: 'asc' } as const;
  if (order === 'actor') return { sort: 'actor', order: 'asc' } as const;
  return { sort: 'occurred', order: 'desc' } as const;
};

export const auditQuery = ({ event: _event, ...search }: AuditSearch) =>
  listPages({
    name: ['audit', 'list'],
    filter: search,
    read: async (page, signal) => {
      const query = { ...filterOf(search), ...orderOf(search), limit: PAGE, ...page };
      return (await call('get', '/api/v1/audit', { params: { query }, signal })).body;
    },
  });

export const eventTypesQuery = queryOptions({
  queryKey: ['audit', 'types'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/audit/event_types', { signal })).body.event_types,
  staleTime: 60_000,
});

export type PlacedEvent = BodyOf<'/api/v1/audit/{id}', 'get'>;

/** The data is `JsonText`, as it was recorded. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'one', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/audit/{id}', { params: { path: { id } }, signal }, ['data']))
        .body,
    // Once it is sealed, nothing of it changes.
    staleTime: ({ state }) => (state.data?.position === undefined ? 0 : Infinity),
  });

export const chainQuery = queryOptions({
  queryKey: ['audit', 'chain'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/audit/chain', { headers: BACKGROUND, signal })).body,
  refetchInterval: POLL_MS,
});
