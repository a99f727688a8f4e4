/** What the pages of API keys read and send. */
import type { QueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import { readAccessAgain } from '../../shared/access/access-data.ts';
import type { Key } from '../../shared/access/keys/key-facts.tsx';
import type { ListSearch } from '../../shared/routes/list-search.ts';

export type { Key };
export type BearablePermission = components['schemas']['APIKeyPermission'];

/** Without `show`: keys that work. */
export type OwnKeysSearch = ListSearch<'expired' | 'revoked'>;

/** The filter as the API takes it. */
const filterOf = ({ q, show }: OwnKeysSearch) => ({
  status: show ?? ('active' as const),
  ...(q !== undefined && { q }),
});

export const ownKeysQuery = (search: OwnKeysSearch) =>
  listPages({
    name: ['keys', 'own'],
    filter: search,
    read: async (page, signal) => {
      const params = { query: { ...filterOf(search), ...page } };
      return (await call('get', '/api/v1/me/api_keys', { params, signal })).body;
    },
  });

/** Those of one page are read with what they may do. */
export async function readKeysAgain(queries: QueryClient): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: ['keys'] }), readAccessAgain(queries)]);
}

export interface NewKey {
  readonly name: string;
  /** Absent: everything that its member holds. */
  readonly permissions?: readonly string[] | undefined;
  /** RFC 3339. Absent: as late as possible, or never. */
  readonly expiresAt?: string | undefined;
}

export async function createOwnKey({ name, permissions, expiresAt }: NewKey) {
  const body = {
    name,
    ...(permissions && { permissions: [...permissions] }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
  const response = await call('post', '/api/v1/me/api_keys', { body });
  return { secret: response.body.token, result: response.body.key };
}

export async function revokeOwnKey({ id }: Key): Promise<void> {
  await call('delete', '/api/v1/me/api_keys/{id}', { params: { path: { id } } });
}
