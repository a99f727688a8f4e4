/** Permission policies through the API: their paths, terms and calls. */
import { randomUUID } from 'node:crypto';
import type { ApiResponse, HttpClient } from '../http.ts';
import type { Policy, TestMember } from './factories.ts';

/** A policy for the whole organization. */
export const granted = (...keys: string[]): Policy => ({
  scope_kind: 'organization',
  permissions: keys,
});

/** The terms of such a policy, as a body. */
export const terms = (...keys: string[]) => ({
  scope_kind: 'organization',
  resource_ids: [],
  permissions: keys,
});

export const onAgents = (resource_ids: string[], ...keys: string[]) => ({
  scope_kind: 'agent' as const,
  resource_ids,
  permissions: keys,
});

export const OWNERSHIP = {
  scope_kind: 'organization',
  resource_ids: [],
  permissions: [],
  is_owner: true,
};

export const ofMember = ({ membershipId }: TestMember) =>
  `/api/v1/members/${membershipId}/permission_policies`;
export const ofTeam = (id: string) => `/api/v1/teams/${id}/permission_policies`;
export const ofKey = (id: string) => `/api/v1/api_keys/${id}/permission_policies`;

export const post = (http: HttpClient, path: string, body: unknown, key: string = randomUUID()) =>
  http.post(path, body, { headers: { 'idempotency-key': key } });

export const put = (http: HttpClient, path: string, body: unknown) =>
  http.call('PUT', path, { body });

/** The status, and the code of an error. */
export const outcome = ({ status, body }: ApiResponse) =>
  status < 400 ? status : `${status} ${String(body['error']?.['code'])}`;

export const pointers = ({ body }: ApiResponse) =>
  (body['error']?.['details']?.['issues'] as unknown as { pointer: string }[]).map(
    ({ pointer }) => pointer,
  );

export type Shown = Record<string, unknown> & { readonly id: string };

export const policiesOf = async (path: string, http: HttpClient) =>
  (await http.get(path)).body['policies'] as unknown as readonly Shown[];
