/** What the account pages read and change. */
import { call } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type Mfa = components['schemas']['Mfa'];
export type Session = components['schemas']['Session'];

export const sessionsQuery = listPages({
  name: ['sessions'],
  read: async (page, signal) => {
    const params = { query: { limit: 50, ...page } };
    return (await call('get', '/api/v1/me/sessions', { params, signal })).body;
  },
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
