/** A caller who loses access after the check at the start of a call, before or while it changes something. */
import { expect } from '@jest/globals';
import { lockAccess } from '../../src/data/organization/organizations.ts';
import { startApp, type TestApp } from './app.ts';
import { beforeTransaction } from './gates.ts';
import type { ApiResponse, HttpClient } from './http.ts';
import { outcome } from './refusals.ts';
import { ofKey, ofMember, policiesOf } from './scene/permission-policies.ts';
import {
  createMember,
  createOrganizationKey,
  type Policy,
  type TestMember,
  type TestOrganization,
} from './scene/factories.ts';
import { untilBlocked } from './waiting.ts';

/** Organization keys exist only in the hosted edition. */
export const startHosted = () => startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

interface Held {
  readonly app: TestApp;
  readonly owner: TestMember;
  readonly member: TestMember;
  readonly key: { readonly id: string; readonly http: HttpClient };
}

interface Withdrawal {
  readonly of: (held: Held) => HttpClient;
  readonly happens: (held: Held) => Promise<unknown>;
  readonly refusal: string;
}

const ENDED = '401 authentication_required';
const session = ({ member }: Held) => member.browser;
const personalKey = ({ member }: Held) => member.http;
const organizationKey = ({ key }: Held) => key.http;

async function done(call: Promise<ApiResponse>): Promise<void> {
  const { status, text } = await call;
  if (status >= 300) throw new Error(`access was not withdrawn: ${text}`);
}

async function deletePolicy({ browser }: TestMember, path: string): Promise<void> {
  const [policy] = await policiesOf(path, browser);
  await done(browser.delete(`${path}/${String(policy?.id)}`));
}

const WITHDRAWALS: Readonly<Record<string, Withdrawal>> = {
  'a session that signs out': {
    of: session,
    happens: ({ member }) => done(member.browser.post('/auth/logout')),
    refusal: ENDED,
  },
  'a session whose member is suspended': {
    of: session,
    happens: ({ owner, member }) =>
      done(
        owner.browser.call('PATCH', `/api/v1/members/${member.membershipId}`, {
          body: { status: 'suspended' },
        }),
      ),
    refusal: '403 membership_inactive',
  },
  'a personal key that is revoked': {
    of: personalKey,
    happens: ({ member }) => done(member.browser.delete(`/api/v1/me/api_keys/${member.apiKeyId}`)),
    refusal: ENDED,
  },
  'a personal key that expires': {
    of: personalKey,
    happens: async ({ app, member }) =>
      await app.db('api_keys').where({ id: member.apiKeyId }).update({ expires_at: new Date() }),
    refusal: ENDED,
  },
  'a personal key whose member is removed': {
    of: personalKey,
    happens: ({ owner, member }) =>
      done(owner.browser.delete(`/api/v1/members/${member.membershipId}`)),
    refusal: ENDED,
  },
  'a personal key whose member loses the policy': {
    of: personalKey,
    happens: ({ owner, member }) => deletePolicy(owner, ofMember(member)),
    refusal: '403 permission_denied',
  },
  'an organization key that is revoked': {
    of: organizationKey,
    happens: ({ owner, key }) => done(owner.browser.delete(`/api/v1/api_keys/${key.id}`)),
    refusal: ENDED,
  },
  'an organization key that loses its policy': {
    of: organizationKey,
    happens: ({ owner, key }) => deletePolicy(owner, ofKey(key.id)),
    refusal: '403 permission_denied',
  },
};

/** A call that changes something, and succeeds once for a caller with the permission. */
export interface Change {
  readonly app: TestApp;
  readonly organization: TestOrganization;
  /** All that the call needs. */
  readonly policy: Policy;
  readonly call: (client: HttpClient) => Promise<ApiResponse>;
}

/**
 * Expects the refusals that the next call would get when access is withdrawn before the transaction
 * of the call, or is being withdrawn when the transaction begins. Otherwise the call succeeds.
 */
export async function expectRecheck(change: Change): Promise<void> {
  const { app, call } = change;
  const outcomes: Record<string, string> = {};
  for (const [what, { of, happens }] of Object.entries(WITHDRAWALS)) {
    const held = await hold(change);
    const response = await beforeTransaction(
      app,
      () => happens(held),
      () => call(of(held)),
    );
    outcomes[what] = outcome(response);
  }
  expect(outcomes).toEqual(
    Object.fromEntries(Object.entries(WITHDRAWALS).map(([what, { refusal }]) => [what, refusal])),
  );
  expect(outcome(await duringWithdrawal(change))).toBe('403 permission_denied');
  expect((await call(personalKey(await hold(change)))).status).toBeLessThan(300);
}

async function hold({ app, organization, policy }: Change): Promise<Held> {
  const member = await createMember(app, organization.id, { policies: [policy] });
  const key = await createOrganizationKey(app, organization, [policy]);
  return { app, owner: organization.owner, member, key };
}

/** The response to a call that arrives while another transaction removes the caller's policy. */
async function duringWithdrawal(change: Change): Promise<ApiResponse> {
  const { app, organization, call } = change;
  const { member } = await hold(change);
  const { response } = await app.db.transaction(async (trx) => {
    await lockAccess(trx, organization.id);
    await trx('permission_policies').where({ membership_id: member.membershipId }).delete();
    const started = call(member.http);
    await untilBlocked(trx);
    return { response: started };
  });
  return await response;
}
