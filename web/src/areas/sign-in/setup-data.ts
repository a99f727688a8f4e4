/** What the guided setup reads and sends. */
import { queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';

const POLL_MS = 2_000;

export async function createAgent(body: { readonly slug: string; readonly name: string }) {
  return (await call('post', '/api/v1/agents', { body })).body;
}

export async function createCredential({
  slug,
  name,
}: {
  readonly slug: string;
  readonly name: string;
}) {
  const response = await call('post', '/api/v1/agents/{slug}/instances', {
    params: { path: { slug } },
    body: { name },
  });
  return response.body;
}

/** The command as a terminal runs it. The address is the one under which people reach this page. */
export function firstRequest(token: string): string {
  return [
    `curl -sS --fail-with-body -w '\\n' '${location.origin}/api/aap/v1/requests' \\`,
    `  -H 'authorization: Bearer ${token}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H 'idempotency-key: first-request' \\`,
    `  -d '{"tool": "refund_payment", "timeout": "1h",`,
    `       "arguments": {"payment_id": "pay_81", "amount": 120.50, "currency": "EUR"}}'`,
  ].join('\n');
}

/** Asks until the agent's first request is there. An open page is no use of the session. */
export const firstRequestQuery = (agent: string) =>
  queryOptions({
    queryKey: ['setup', 'first-request', agent],
    queryFn: async ({ signal }) => {
      const { body } = await call('get', '/api/v1/requests', {
        signal,
        headers: { 'Service-Background': '1' },
        params: { query: { agent_slug: agent, limit: 1 } },
      });
      return body.requests.map(({ id, tool }) => ({ id, tool }))[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data ? false : POLL_MS),
  });

const GRANTS = {
  reviewer: { permissions: ['request.read', 'request.decide', 'request.claim'] },
  owner: { permissions: [], is_owner: true },
} as const;

export type Role = keyof typeof GRANTS;

export const pendingInvitationsQuery = queryOptions({
  queryKey: ['setup', 'pending-invitations'],
  queryFn: async ({ signal }) => {
    const params = { query: { status: 'pending' as const } };
    const { body } = await call('get', '/api/v1/invitations', { signal, params });
    return body.invitations.map(({ id, email }) => ({ id, email }));
  },
});

export async function invite({ email, role }: { readonly email: string; readonly role: Role }) {
  const { permissions, ...owner } = GRANTS[role];
  const response = await call('post', '/api/v1/invitations', {
    body: {
      email,
      permission_policies: [
        {
          scope_kind: 'organization',
          resource_ids: [],
          permissions: [...permissions],
          ...owner,
        },
      ],
    },
  });
  return response.body;
}

/** The earlier link stops working. */
export async function replaceInvitation({ id }: { readonly id: string }) {
  return (await call('post', '/api/v1/invitations/{id}/resend', { params: { path: { id } } })).body;
}

export async function completeSetup(): Promise<void> {
  await call('post', '/api/v1/organization/onboarding/complete');
}

/** What the service shows only once. It stays in the memory of this tab until the setup is finished. */
interface ShownOnce {
  /** Of the credential. */
  readonly token: string | undefined;
  readonly invited: readonly Invited[];
}

export interface Invited {
  readonly id: string;
  readonly email: string;
  /** Where the deployment sends no email. */
  readonly link: string | undefined;
}

const NOTHING: ShownOnce = { token: undefined, invited: [] };

const KEY = ['setup', 'shown-once'];

export function useShownOnce() {
  const queries = useQueryClient();
  const { data: shown = NOTHING } = useQuery<ShownOnce>({
    queryKey: KEY,
    queryFn: skipToken,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return {
    shown,
    keepToken: (token: string) => {
      queries.setQueryData<ShownOnce>(KEY, (before = NOTHING) => ({ ...before, token }));
    },
    /** In the place of an earlier link to the same invitation. */
    keepInvited: (invited: Invited) => {
      queries.setQueryData<ShownOnce>(KEY, (before = NOTHING) => ({
        ...before,
        invited: [...before.invited.filter(({ id }) => id !== invited.id), invited],
      }));
    },
    discard: () => {
      queries.removeQueries({ queryKey: KEY });
    },
  };
}
