/** What the pages of the organization's keys read and send. */
import { queryOptions } from '@tanstack/react-query';
import type { Terms } from '../../../shared/access/access-data.ts';
import { call, type BodyOf } from '../../../shared/api/api.ts';
import { listPages } from '../../../shared/api/lists.ts';
import type { Key } from '../keys-data.ts';
import type { OrganizationKeysSearch } from '../keys-search.ts';

/** The filters as the API takes them. */
const filterOf = ({ q, show, kind, by }: OrganizationKeysSearch) => ({
  ...(show === 'ending' ? { ends_soon: true } : { status: show ?? ('active' as const) }),
  ...(q !== undefined && { q }),
  ...(kind !== undefined && { kind }),
  ...(by !== undefined && { created_by: by }),
});

export const organizationKeysQuery = (search: OrganizationKeysSearch) =>
  listPages({
    name: ['keys', 'organization'],
    filter: search,
    read: async (page, signal) => {
      const params = { query: { ...filterOf(search), ...page } };
      return (await call('get', '/api/v1/api_keys', { params, signal })).body;
    },
  });

/** Read again with access: its permissions are policies. */
export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['access', 'key', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/api_keys/{id}', { params: { path: { id } }, signal })).body.key,
  });

export type KeyOptions = BodyOf<'/api/v1/api_keys/options', 'get'>;

export const keyOptionsQuery = queryOptions({
  queryKey: ['keys', 'options'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/api_keys/options', { signal })).body,
});

export interface NewOrganizationKey {
  readonly name: string;
  readonly policies: readonly Terms[];
  /** RFC 3339. Absent: as late as possible, or never. */
  readonly expiresAt: string | undefined;
}

export async function createOrganizationKey({ name, policies, expiresAt }: NewOrganizationKey) {
  const body = {
    name,
    permission_policies: policies.map(({ scope_kind, resource_ids, permissions }) => ({
      ...{ scope_kind, resource_ids, permissions },
    })),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
  const response = await call('post', '/api/v1/api_keys', { body });
  return { secret: response.body.token, result: response.body.key };
}

export async function revokeKey({ id }: Key): Promise<void> {
  await call('delete', '/api/v1/api_keys/{id}', { params: { path: { id } } });
}
