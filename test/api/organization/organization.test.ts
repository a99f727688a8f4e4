/** The organization's settings and its guided setup. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  findOrganization,
  updateOrganization,
} from '../../../src/data/organization/organizations.ts';
import { parseDuration } from '../../../src/domain/durations.ts';
import {
  DURATION_BOUNDS,
  type OrganizationTerms,
} from '../../../src/domain/organization/organizations.ts';
import { startApp } from '../../support/app.ts';
import type { ApiResponse } from '../../support/http.ts';
import { appForFile, REVIEWER, scene } from '../../support/scene.ts';
import { always } from '../../support/scene/request-approval-pipelines.ts';
import {
  createMember,
  createOrganization,
  createOrganizationKey,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { organizationCalls } from './organization-scene.ts';

const PATH = '/api/v1/organization';
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
const pointersOf = ({ body }: ApiResponse) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);
const settingsOf = ({ body }: ApiResponse): unknown => body['settings'];

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({
  environment: { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_CREATE_BUDGET: '1s' },
});

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const change = (client: TestMember['http'], body: unknown, revision = 1) =>
  client.call('PATCH', PATH, { body, headers: { 'if-match': `"${revision}"` } });

const { authenticate, eventsOf } = organizationCalls(app, () => organization);

describe('GET /organization', () => {
  test('shows the organization with its settings and limits', async () => {
    await createMember(app, organization.id);
    await createMember(app, organization.id, { status: 'deprovisioned' });
    const answer = await owner.http.get(PATH);
    expect([answer.status, answer.headers['etag']]).toEqual([200, '"1"']);
    expect(answer.body).toEqual({
      id: organization.id,
      name: organization.slug,
      slug: organization.slug,
      created_at: INSTANT,
      edition: 'hosted',
      settings: {
        claim_timeout: '15m',
        personal_api_keys_allowed: true,
        max_api_key_lifetime: null,
        require_mfa: false,
        reauthentication_window: '15m',
        agent_pending_share: 0.25,
        hidden_names: { defaults: true, add: [] },
      },
      limits: { active_agents: 100, pending_requests: 1000, seats: { limit: 50, used: 2 } },
    });
  });

  test('is open to an organization key with the permission', async () => {
    const key = await createOrganizationKey(app, organization, [
      { scope_kind: 'organization', permissions: ['organization.read'] },
    ]);
    expect((await key.http.get(PATH)).body['id']).toBe(organization.id);
  });
});

describe('GET /organization/usage', () => {
  test('counts what stands beside each limit, and who has no second factor', async () => {
    const {
      app: other,
      owner: theirs,
      ask,
      people,
    } = await scene({
      people: { ada: REVIEWER, bob: REVIEWER, eve: { can: [], status: 'suspended' } },
      pipelines: { 'busy-bot': {}, 'idle-bot': {}, 'ruled-bot': { blocks: [always()] } },
      on: app,
    });
    const read = async () => (await theirs.http.get(`${PATH}/usage`)).body;
    expect(await read()).toMatchObject({
      pending_requests: { limit: 1000, used: 0 },
      agent_pending_requests: { limit: 250 },
    });
    for (const agent of ['busy-bot', 'busy-bot', 'idle-bot', 'ruled-bot'] as const)
      await ask({ agent, tool: 'refund' });
    await other.db('totp_factors').insert({
      user_id: people.ada.userId,
      secret: Buffer.alloc(1),
      secret_key_id: 'test',
      created_at: new Date(),
      confirmed_at: new Date(),
    });
    await theirs.http.call('DELETE', '/api/v1/agents/ruled-bot');
    await theirs.http.call('PATCH', PATH, {
      body: { settings: { agent_pending_share: 0.29 } },
      headers: { 'if-match': '"1"' },
    });
    expect(await read()).toEqual({
      active_agents: { limit: 100, used: 2 },
      pending_requests: { limit: 1000, used: 3 },
      agent_pending_requests: {
        limit: 290,
        busiest: { agent_slug: 'busy-bot', agent_name: 'Agent busy-bot', used: 2 },
      },
      seats: { limit: 50, used: 4 },
      second_factors: { active_members: 3, without: 2 },
    });
  });
});

describe('GET /organization/usage, of agents', () => {
  test('names the busiest of those that the caller may see, and none to others', async () => {
    const {
      owner: theirs,
      ask,
      people,
    } = await scene({
      people: {
        wide: { can: ['organization.read', 'agent.read'] },
        narrow: {
          can: ['organization.read'],
          policies: [
            { scope_kind: 'agent', resource_ids: ['idle-bot'], permissions: ['agent.read'] },
          ],
        },
        blind: { can: ['organization.read'] },
      },
      pipelines: { 'busy-bot': {}, 'idle-bot': {} },
      on: app,
    });
    for (const agent of ['busy-bot', 'busy-bot', 'idle-bot'] as const) await ask({ agent });
    const busiest = async ({ http }: TestMember) => {
      const { body } = await http.get(`${PATH}/usage`);
      expect(body['pending_requests']).toEqual({ limit: 1000, used: 3 });
      return [body['agent_pending_requests']].map((each) => each?.['busiest']?.['agent_slug']);
    };
    expect(await busiest(theirs)).toEqual(['busy-bot']);
    expect(await busiest(people.wide)).toEqual(['busy-bot']);
    expect(await busiest(people.narrow)).toEqual(['idle-bot']);
    expect(await busiest(people.blind)).toEqual([undefined]);
  });
});

describe('PATCH /organization', () => {
  test('changes only the named settings, and the audit event has the old values', async () => {
    const changed = await change(owner.browser, {
      name: 'Example Works',
      settings: {
        claim_timeout: '3600s',
        max_api_key_lifetime: '90m',
        reauthentication_window: '61s',
        agent_pending_share: 0.07,
        personal_api_keys_allowed: false,
        hidden_names: { add: ['iban', 'account number'] },
      },
    });
    expect([
      changed.status,
      changed.headers['etag'],
      changed.body['name'],
      changed.body['slug'],
    ]).toEqual([200, '"2"', 'Example Works', organization.slug]);
    const settings = {
      claim_timeout: '1h',
      personal_api_keys_allowed: false,
      max_api_key_lifetime: '90m',
      require_mfa: false,
      reauthentication_window: '61s',
      agent_pending_share: 0.07,
      hidden_names: { defaults: true, add: ['iban', 'account number'] },
    };
    expect(settingsOf(changed)).toEqual(settings);
    expect(settingsOf(await owner.browser.get(PATH))).toEqual(settings);
    expect(await eventsOf('organization.updated')).toEqual([
      {
        actor_id: owner.membershipId,
        data: {
          changed: {
            name: { old: organization.slug, new: 'Example Works' },
            claim_timeout: { old: '15m', new: '1h' },
            personal_api_keys_allowed: { old: true, new: false },
            max_api_key_lifetime: { old: null, new: '90m' },
            reauthentication_window: { old: '15m', new: '61s' },
            agent_pending_share: { old: 0.25, new: 0.07 },
            hidden_names: {
              old: { defaults: true, add: [] },
              new: { defaults: true, add: ['iban', 'account number'] },
            },
          },
        },
      },
    ]);
  });

  test('removes the limit on key lifetimes with null', async () => {
    await change(owner.browser, { settings: { max_api_key_lifetime: '1h' } });
    const lifted = await change(owner.browser, { settings: { max_api_key_lifetime: null } }, 2);
    expect(settingsOf(lifted)).toMatchObject({ max_api_key_lifetime: null });
  });

  test.each([{}, { settings: {} }, { settings: { claim_timeout: '900s', require_mfa: false } }])(
    'keeps the revision and writes no audit event when nothing changes: %j',
    async (body) => {
      const answer = await change(owner.http, body);
      expect([answer.status, answer.headers['etag']]).toEqual([200, '"1"']);
      expect(await eventsOf('organization.updated')).toEqual([]);
    },
  );

  test('needs the current revision', async () => {
    expect(codeOf(await owner.http.call('PATCH', PATH, { body: { name: 'X' } }))).toEqual([
      428,
      'if_match_required',
    ]);
    await change(owner.http, { name: 'First' });
    const late = await change(owner.http, { name: 'Second' });
    expect(codeOf(late)).toEqual([412, 'revision_conflict']);
    expect(late.body['error']?.['details']).toEqual({ active_revision: 2 });
    expect((await owner.http.get(PATH)).body['name']).toBe('First');
  });

  test('accepts one of several concurrent changes to the same revision', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const names = ['a', 'b', 'c'].map((name) => `${name}${round}`);
      const answers = await Promise.all(names.map((name) => change(owner.http, { name }, round)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    }
    expect(await eventsOf('organization.updated')).toHaveLength(ROUNDS);
  });

  test.each([
    [{ settings: { claim_timeout: '59s' } }, '/settings/claim_timeout'],
    [{ settings: { claim_timeout: '25h' } }, '/settings/claim_timeout'],
    [{ settings: { claim_timeout: null } }, '/settings/claim_timeout'],
    [{ settings: { reauthentication_window: '59s' } }, '/settings/reauthentication_window'],
    [{ settings: { hidden_names: { add: ['--'] } } }, '/settings/hidden_names/add/0'],
    [{ settings: { hidden_names: { add: ['x'.repeat(101)] } } }, '/settings/hidden_names/add/0'],
    [{ settings: { hidden_names: { add: Array(101).fill('x') } } }, '/settings/hidden_names/add'],
    [{ settings: { hidden_names: { add: null } } }, '/settings/hidden_names/add'],
    [{ settings: { reauthentication_window: '1441m' } }, '/settings/reauthentication_window'],
    [{ settings: { agent_pending_share: 0 } }, '/settings/agent_pending_share'],
    [{ settings: { agent_pending_share: 1.01 } }, '/settings/agent_pending_share'],
    [{ settings: { agent_pending_share: 0.333 } }, '/settings/agent_pending_share'],
    [{ settings: { agent_pending_share: '0.5' } }, '/settings/agent_pending_share'],
    [{ settings: { max_api_key_lifetime: '59m' } }, '/settings/max_api_key_lifetime'],
    [{ settings: { max_api_key_lifetime: '87601h' } }, '/settings/max_api_key_lifetime'],
    [{ settings: { require_mfa: 'yes' } }, '/settings/require_mfa'],
    [{ settings: { surprise: 1 } }, '/settings/surprise'],
    [{ slug: 'other' }, '/slug'],
    [{ name: '  ' }, '/name'],
  ])('refuses %j', async (body, pointer) => {
    const answer = await change(owner.browser, body);
    expect([answer.status, pointersOf(answer)]).toEqual([400, [pointer]]);
  });

  const sensitive = [
    { require_mfa: true },
    { reauthentication_window: '1h' },
    { max_api_key_lifetime: '24h' },
    { personal_api_keys_allowed: false },
  ];

  test.each(sensitive)('needs a session with recent authentication for %j', async (settings) => {
    expect(codeOf(await change(owner.http, { settings }))).toEqual([403, 'session_required']);
    await authenticate(owner, { assurance: 'strong', secondsAgo: 901 });
    expect(codeOf(await change(owner.browser, { settings }))).toEqual([
      403,
      'reauthentication_required',
    ]);
    await authenticate(owner, { assurance: 'strong' });
    expect((await change(owner.browser, { settings })).status).toBe(200);
  });

  test('needs no recent authentication for the name and the claim timeout', async () => {
    expect(
      (await change(owner.http, { name: 'By key', settings: { claim_timeout: '1m' } })).status,
    ).toBe(200);
    await authenticate(owner, { secondsAgo: 901 });
    expect((await change(owner.browser, { name: 'By session' }, 2)).status).toBe(200);
  });

  test('refuses require_mfa from a caller without a second factor', async () => {
    expect(codeOf(await change(owner.browser, { settings: { require_mfa: true } }))).toEqual([
      403,
      'mfa_required',
    ]);
    expect(settingsOf(await owner.browser.get(PATH))).toMatchObject({ require_mfa: false });
  });

  test('takes effect in another process with the next call', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    try {
      const elsewhere = { ...owner.http, call: other.http.call.bind(other.http) };
      const headers = { authorization: `Bearer ${owner.apiKey}` };
      expect((await elsewhere.call('GET', PATH, { headers })).status).toBe(200);
      await change(owner.browser, { settings: { personal_api_keys_allowed: false } });
      expect(codeOf(await elsewhere.call('GET', PATH, { headers }))).toEqual([
        403,
        'api_keys_disabled',
      ]);
      await change(
        owner.browser,
        { settings: { personal_api_keys_allowed: true, reauthentication_window: '1m' } },
        2,
      );
      await authenticate(owner, { secondsAgo: 61 });
      const session = {
        cookie: owner.cookie,
        origin: other.url,
        'sec-fetch-site': 'same-origin',
        'if-match': '"3"',
      };
      const answer = await elsewhere.call('PATCH', PATH, {
        body: { settings: { max_api_key_lifetime: '2h' } },
        headers: session,
      });
      expect(codeOf(answer)).toEqual([403, 'reauthentication_required']);
    } finally {
      await other.close();
    }
  });
});

describe('POST /organization/onboarding/complete', () => {
  test('ends the guided setup once, for everyone', async () => {
    const complete = () => owner.http.post(`${PATH}/onboarding/complete`);
    expect((await owner.http.get('/api/v1/me')).body['onboarding']).toEqual({
      required: true,
      completed_at: null,
    });
    expect((await complete()).status).toBe(204);
    const { onboarding } = (await owner.http.get('/api/v1/me')).body;
    expect(onboarding).toEqual({ required: false, completed_at: INSTANT });
    expect((await complete()).status).toBe(204);
    expect((await owner.http.get('/api/v1/me')).body['onboarding']).toEqual(onboarding);
    expect(await eventsOf('organization.onboarding_completed')).toHaveLength(1);
  });
});

const BOUNDED = Object.keys(DURATION_BOUNDS) as readonly (keyof typeof DURATION_BOUNDS)[];
const seconds = (text: string) => (parseDuration(text) ?? NaN) / 1_000;

test.each(BOUNDED)(
  'the table accepts %s from its minimum to its maximum, and nothing beyond',
  async (term) => {
    const now = await findOrganization(app.db, organization.id);
    if (!now) throw new Error('the organization is gone');
    const store = (value: number) =>
      updateOrganization(app.db, organization.id, {
        ...(now satisfies OrganizationTerms),
        [term]: value,
      });
    const { min, max } = DURATION_BOUNDS[term];
    await store(seconds(min));
    await store(seconds(max));
    await expect(store(seconds(min) - 1)).rejects.toMatchObject({ code: '23514' });
    await expect(store(seconds(max) + 1)).rejects.toMatchObject({ code: '23514' });
  },
);
