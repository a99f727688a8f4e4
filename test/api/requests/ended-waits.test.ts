/** A wait ends with its credential. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { HttpClient, type Answer } from '../../support/http.ts';
import { idOf } from '../../support/tokens.ts';
import { until } from '../../support/waiting.ts';

let app: TestApp;
let organization: TestOrganization;
beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
  organization = await createOrganization(app);
});
afterAll(() => app.close());

interface Held {
  readonly agent: TestAgent;
  readonly member: TestMember;
  readonly key: { readonly id: string };
}

type End = (held: Held) => Promise<unknown>;
type Caller = (held: Held & { key: { http: HttpClient } }) => HttpClient;

const past = () => new Date(Date.now() - 1_000);
const set =
  (table: string, idFrom: (held: Held) => string, values: () => Record<string, unknown>): End =>
  (held) =>
    app
      .db(table)
      .where(table === 'agents' ? { slug: idFrom(held) } : { id: idFrom(held) })
      .update(values());

const byAgent: Caller = ({ agent }) =>
  new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
const bySession: Caller = ({ member }) => member.browser;
const byPersonalKey: Caller = ({ member }) => member.http;
const byOrganizationKey: Caller = ({ key }) => key.http;

const credential = ({ agent }: Held) => agent.credentialId;
const session = ({ member }: Held) => idOf(member.cookie);
const personalKey = ({ member }: Held) => member.apiKeyId;

const ends: [string, Caller, End, string][] = [
  [
    'an agent credential that is revoked',
    byAgent,
    set('agent_credentials', credential, () => ({ revoked_at: new Date() })),
    '401 authentication_required',
  ],
  [
    'an agent credential that expires',
    byAgent,
    set('agent_credentials', credential, () => ({ issued_at: past(), expires_at: past() })),
    '401 authentication_required',
  ],
  [
    'an agent that is disabled',
    byAgent,
    set(
      'agents',
      ({ agent }) => agent.slug,
      () => ({ status: 'disabled' }),
    ),
    '403 agent_disabled',
  ],
  [
    'an instance that is disabled',
    byAgent,
    set(
      'agent_instances',
      ({ agent }) => agent.instanceId,
      () => ({ status: 'disabled' }),
    ),
    '403 instance_disabled',
  ],
  [
    'a session that is revoked',
    bySession,
    set('sessions', session, () => ({ revoked_at: new Date() })),
    '401 authentication_required',
  ],
  [
    'a member who is suspended',
    bySession,
    set(
      'memberships',
      ({ member }) => member.membershipId,
      () => ({ status: 'suspended' }),
    ),
    '403 membership_inactive',
  ],
  [
    'a personal key that is revoked',
    byPersonalKey,
    set('api_keys', personalKey, () => ({ revoked_at: new Date(), revocation_reason: 'manual' })),
    '401 authentication_required',
  ],
  [
    'an organization key that is revoked',
    byOrganizationKey,
    set(
      'api_keys',
      ({ key }) => key.id,
      () => ({
        revoked_at: new Date(),
        revocation_reason: 'manual',
      }),
    ),
    '401 authentication_required',
  ],
];

test.each(ends)('%s: its wait ends within seconds', async (_what, caller, end, expected) => {
  const agent = await createAgent(app, organization);
  const policies = [
    { scope_kind: 'organization', permissions: ['request.read', 'request.decide'] },
  ] as const;
  const member = await createMember(app, organization.id, { policies });
  const key = await createOrganizationKey(app, organization, [
    { scope_kind: 'organization', permissions: ['request.read', 'request.read.unrouted'] },
  ]);
  const id = await ask(app, agent);
  const http = caller({ agent, member, key });
  const prefix = caller === byAgent ? '/api/aap/v1' : '/api/v1';
  const started = performance.now();
  const wait: Promise<Answer> = http.get(`${prefix}/requests/${id}?wait=30s`);
  await until('the wait is parked', () => app.context.changes.waitedFor().includes(id));
  await end({ agent, member, key });
  const { status, body } = await wait;
  expect(`${status} ${String(body['error']?.['code'])}`).toBe(expected);
  // The wait alone would take 30 s. A busy machine may take a while to notice.
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(app.context.changes.waitedFor()).not.toContain(id);
});
