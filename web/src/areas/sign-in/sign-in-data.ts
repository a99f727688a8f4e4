/** What the sign-in pages send. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { Fields } from '../../shared/forms/form.tsx';
import type { Account } from '../../shared/session/session.ts';

/** The password was correct, and a second factor is required. */
export type Challenge = components['schemas']['MfaChallenge']['mfa'];

export async function sendPassword(body: {
  readonly email: string;
  readonly password: string;
}): Promise<Account | { readonly mfa: Challenge }> {
  return (await call('post', '/auth/login', { body })).body;
}

export async function sendCode(body: {
  readonly token: string;
  readonly code: string;
}): Promise<Account> {
  return (await call('post', '/auth/mfa', { body })).body;
}

export async function bootstrap({
  secret = '',
  organization_name = '',
  display_name = '',
  email = '',
  password = '',
}: Fields): Promise<Account> {
  const body = {
    secret: secret.trim(),
    organization_name: organization_name.trim(),
    display_name: display_name.trim(),
    email: email.trim(),
    password,
  };
  return (await call('post', '/auth/bootstrap', { body })).body;
}

/** The response is the same for every address. */
export async function requestPasswordReset(email: string): Promise<void> {
  await call('post', '/auth/password/forgot', { body: { email } });
}

export const passwordResetQuery = (token: string) =>
  queryOptions({
    queryKey: ['password-reset', token],
    queryFn: async ({ signal }) =>
      (await call('get', '/auth/password/reset/{token}', { signal, params: { path: { token } } }))
        .body,
    staleTime: Infinity,
  });

export async function resetPassword(body: {
  readonly token: string;
  readonly password: string;
  readonly revoke_api_keys: boolean;
}): Promise<void> {
  await call('post', '/auth/password/reset', { body });
}

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) =>
      (await call('get', '/auth/invitations/{token}', { signal, params: { path: { token } } }))
        .body,
    staleTime: Infinity,
  });

/** Fields that are absent are not sent: they say how the person joins. */
export async function acceptInvitation({
  token,
  ...body
}: {
  readonly token: string;
  readonly display_name?: string;
  readonly password?: string;
  readonly code?: string;
}): Promise<Account> {
  const response = await call('post', '/auth/invitations/{token}/accept', {
    params: { path: { token } },
    body,
  });
  return response.body;
}
