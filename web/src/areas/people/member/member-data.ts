/** What the page of a member reads and changes next to the member. */
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call, type BodyOf } from '../../../shared/api/api.ts';
import { listPages } from '../../../shared/api/lists.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { readPeopleAgain } from '../people-data.ts';

export type MemberUses = BodyOf<'/api/v1/members/{id}/uses', 'get'>;

/** Read again for each dialog: others change paths meanwhile. */
export const usesQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', 'uses', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/members/{id}/uses', { params: { path: { id } }, signal })).body,
    staleTime: 0,
    gcTime: 0,
  });

export const identitiesQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', 'identities', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await call('get', '/api/v1/members/{id}/identities', { params, signal })).body
        .identities;
    },
  });

/** The keys that work. */
export const keysQuery = (id: string) =>
  listPages({
    name: ['members', 'keys', id],
    read: async (page, signal) => {
      const only = { kind: 'personal', status: 'active', created_by: id } as const;
      const params = { query: { ...only, ...page } };
      return (await call('get', '/api/v1/api_keys', { params, signal })).body;
    },
  });

/** Changing an owner needs recent authentication. */
function useChange<Variables>(change: (variables: Variables) => Promise<unknown>) {
  const queries = useQueryClient();
  return useSensitiveMutation<unknown, Variables>({
    mutationFn: change,
    onSuccess: async () => {
      await readPeopleAgain(queries);
    },
  });
}

export type StatusChange = {
  readonly status: 'active' | 'suspended';
  readonly force?: boolean;
};

export const useChangeStatus = (id: string) =>
  useChange(async (body: StatusChange) => {
    await call('patch', '/api/v1/members/{id}', { params: { path: { id } }, body });
  });

export const useRemoveMember = (id: string) =>
  useChange(async ({ force }: { readonly force: boolean }) => {
    const params = { path: { id }, query: { force } };
    await call('delete', '/api/v1/members/{id}', { params });
  });

export const useResetFactor = (id: string) =>
  useChange(async () => {
    await call('delete', '/api/v1/members/{id}/mfa', { params: { path: { id } } });
  });

export const useUnlink = (id: string) =>
  useChange(async () => {
    await call('delete', '/api/v1/members/{id}/identities', { params: { path: { id } } });
  });
