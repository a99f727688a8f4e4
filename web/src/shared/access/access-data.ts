/**
 * What the components of access read. Code that changes access by another way, such as the members of a team, calls
 * `readAccessAgain`.
 */
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/api.ts';
import type { components, paths } from '../api/openapi.d.ts';

/** Whose policies: a member, a team, or an organization key. */
export interface PolicyHolder {
  readonly kind: 'member' | 'team' | 'api_key';
  readonly id: string;
  readonly name: string;
}

export type PolicyPage = components['schemas']['PermissionPolicyPage'];
/** What a person may grant, and where. */
export type Grantable = Pick<PolicyPage, 'permissions' | 'resources' | 'resources_truncated'>;
export type Policy = components['schemas']['PermissionPolicy'];
export type Resource = components['schemas']['PolicyResource'];
export type EffectiveAccess = components['schemas']['EffectiveAccess'];

/** The paths differ only in the noun. */
export const POLICIES = {
  member: '/api/v1/members/{id}/permission_policies',
  team: '/api/v1/teams/{id}/permission_policies',
  api_key: '/api/v1/api_keys/{id}/permission_policies',
} as const;

export const policiesQuery = ({ kind, id }: Pick<PolicyHolder, 'kind' | 'id'>) =>
  queryOptions({
    queryKey: ['access', 'policies', kind, id],
    queryFn: async ({ signal }) =>
      (await call('get', POLICIES[kind], { params: { path: { id } }, signal })).body,
  });

export const memberAccessQuery = (id: string) =>
  queryOptions({
    queryKey: ['access', 'member', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/members/{id}/access', { params: { path: { id } }, signal })).body,
  });

/** A change of access that could be saved. */
export type AccessChange =
  paths['/api/v1/permission_policies/preview']['post']['requestBody']['content']['application/json'];
export type AccessEffect = components['schemas']['AccessEffect'];
export type Terms = components['schemas']['AccessTerms'];

/**
 * What the change would do. The effect of the change before stays until the next one is read. Once a change is saved,
 * it is not read again: it may no longer be possible.
 */
export const effectQuery = (change: AccessChange) =>
  queryOptions({
    queryKey: ['access_effect', change],
    queryFn: async ({ signal }) =>
      (await call('post', '/api/v1/permission_policies/preview', { body: change, signal })).body,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });

/** After any change of access: of a policy, a team's members, a member's status. */
export const readAccessAgain = async (queries: QueryClient): Promise<void> => {
  await queries.invalidateQueries({ queryKey: ['access'] });
};
