/** What the account pages read and change. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type Mfa = components['schemas']['Mfa'];
export type Session = components['schemas']['Session'];

/** As many as one call takes. */
const MOST_NAMED = 200;

export const namesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['names', ids],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const pages = Array.from({ length: Math.ceil(ids.length / MOST_NAMED) }, (_, page) =>
        ids.slice(page * MOST_NAMED, (page + 1) * MOST_NAMED),
      );
      const responses = await Promise.all(
        pages.map((page) =>
          call('get', '/api/v1/names', { params: { query: { ids: page.join(',') } }, signal }),
        ),
      );
      return new Map(
        responses.flatMap(({ body }) =>
          body.names.map(({ id, display_name }) => [id, display_name]),
        ),
      );
    },
  });

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal, pageParam }) =>
    (
      await call('get', '/api/v1/me/sessions', {
        params: { query: { limit: 50, ...(pageParam !== undefined && { cursor: pageParam }) } },
        signal,
      })
    ).body,
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export async function endSession({ id }: Session): Promise<void> {
  await call('delete', '/api/v1/me/sessions/{id}', { params: { path: { id } } });
}

export async function endOtherSessions(): Promise<void> {
  await call('delete', '/api/v1/me/sessions');
}

export async function changePassword(body: {
  readonly current_password: string;
  readonly new_password: string;
}): Promise<void> {
  await call('put', '/api/v1/me/password', { body });
}

export const beginTotp = async () => (await call('post', '/api/v1/me/mfa/totp')).body;

export const confirmTotp = async (code: string): Promise<readonly string[]> =>
  (await call('post', '/api/v1/me/mfa/totp/confirm', { body: { code } })).body.recovery_codes;

export const replaceRecoveryCodes = async (): Promise<readonly string[]> =>
  (await call('post', '/api/v1/me/mfa/recovery_codes')).body.recovery_codes;

export async function removeTotp(): Promise<void> {
  await call('delete', '/api/v1/me/mfa/totp');
}
