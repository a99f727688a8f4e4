/**
 * GET /requests over HTTP: which requests the queue holds, in which order, for which callers, and
 * every query parameter.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { appForFile } from '../../support/scene.ts';
import {
  adapterOf,
  ask,
  askUnevaluated,
  deadlineOf,
  decide,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { HttpClient } from '../../support/http.ts';

const everywhere = (...permissions: string[]) =>
  [{ scope_kind: 'organization', permissions }] as const;
const whenTool = (name: string) => ({
  id: `tool-${name}`,
  field: '/request/tool',
  operator: 'equals',
  value: name,
});
const rule = (id: string, config: Record<string, unknown>) => ({
  id,
  name: id,
  type: 'cel',
  config: { when: whenTool(id), reason: id, ...config },
});

/** One request for each outcome, oldest first. */
const FATES = [
  'unrouted',
  'routed',
  'auto-approved',
  'auto-denied',
  'approved',
  'denied',
  'expired',
  'cancelled',
  'evaluating',
  'expired-early',
  'cancelled-early',
  'other-agent',
] as const;
type Fate = (typeof FATES)[number];

const app = await appForFile();

describe('the queue list', () => {
  let organization: TestOrganization;
  let agent: TestAgent;
  let otherAgent: TestAgent;
  let named: TestMember;
  let unnamed: TestMember;
  const ids = new Map<Fate, string>();

  const cancel = async (id: string) => {
    expect((await adapterOf(app, agent).delete(`/api/aap/v1/requests/${id}`)).status).toBe(200);
  };
  const list = async (client: HttpClient, query = ''): Promise<string[]> => {
    const answer = await client.get(`/api/v1/requests${query}`);
    expect(answer.status).toBe(200);
    const names = new Map([...ids].map(([fate, id]) => [id, fate]));
    return (answer.body['requests'] ?? []).map(
      (request) => names.get(String(request['id'])) ?? String(request['id']),
    );
  };

  beforeAll(async () => {
    organization = await createOrganization(app);
    agent = await createAgent(app, organization);
    otherAgent = await createAgent(app, organization);
    named = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.decide'),
    });
    await activatePath(organization.owner, {
      path_key: 'named',
      name: 'One person',
      nodes: [
        {
          id: randomUUID(),
          type: 'level',
          targets: [{ type: 'user', id: named.membershipId }],
          escalate_after: '10m',
        },
      ],
    });
    await activatePipeline(organization.owner, `agents/${agent.slug}`, {
      blocks: [
        rule('routed', { on_match: 'human', escalation_path: 'named' }),
        rule('auto-approved', { on_match: 'approve' }),
        rule('auto-denied', { on_match: 'deny' }),
      ],
    });
    const { http } = organization.owner;
    const make: Partial<Record<Fate, () => Promise<string>>> = {
      evaluating: () => askUnevaluated(app, agent, { tool: 'evaluating' }),
      'expired-early': () => askUnevaluated(app, agent, { tool: 'expired-early' }),
      'cancelled-early': () => askUnevaluated(app, agent, { tool: 'cancelled-early' }),
      'other-agent': () => ask(app, otherAgent, { tool: 'other-agent' }),
    };
    for (const fate of FATES)
      ids.set(fate, await (make[fate] ?? (() => ask(app, agent, { tool: fate })))());
    const id = (fate: Fate) => ids.get(fate) ?? '';
    expect((await decide(http, id('denied'), { status: 'denied' })).status).toBe(200);
    expect((await decide(http, id('approved'))).status).toBe(200);
    for (const fate of ['expired', 'expired-early'] as const)
      await stepAt(app, id(fate), await deadlineOf(app, id(fate)));
    for (const fate of ['cancelled', 'cancelled-early'] as const) await cancel(id(fate));
    // Joins after the notifications. May decide requests without a path, and was notified of none.
    unnamed = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.decide'),
    });
  });

  test('holds the requests that reached people, newest first: none that rules decided, that were withdrawn or that are evaluated', async () => {
    expect(await list(organization.owner.http)).toEqual([
      'other-agent',
      'expired',
      'denied',
      'approved',
      'routed',
      'unrouted',
    ]);
  });

  test('of one agent also holds requests that rules decided or that were withdrawn, but none that are evaluated', async () => {
    expect(await list(organization.owner.http, `?agent_slug=${agent.slug}`)).toEqual(
      FATES.filter((fate) => fate !== 'evaluating' && fate !== 'other-agent').reverse(),
    );
    expect(await list(organization.owner.http, `?agent_slug=${otherAgent.slug}`)).toEqual([
      'other-agent',
    ]);
    expect(await list(organization.owner.http, '?agent_slug=unknown')).toEqual([]);
  });

  test.each([
    ['pending', ['other-agent', 'routed', 'unrouted'], ['routed', 'unrouted']],
    ['approved', ['approved'], ['approved', 'auto-approved']],
    ['denied', ['denied'], ['denied', 'auto-denied']],
    ['expired', ['expired'], ['expired-early', 'expired']],
    ['cancelled', ['cancelled'], ['cancelled-early', 'cancelled']],
    [
      'decided',
      ['cancelled', 'expired', 'denied', 'approved'],
      FATES.filter((fate) => !/^(?:un)?routed$|^evaluating$|^other/.test(fate)).reverse(),
    ],
  ])(
    'by status %s holds exactly those, of people or of one agent',
    async (status, ofPeople, ofAgent) => {
      expect(await list(organization.owner.http, `?status=${status}`)).toEqual(ofPeople);
      expect(
        await list(organization.owner.http, `?status=${status}&agent_slug=${agent.slug}`),
      ).toEqual(ofAgent);
    },
  );

  test('pages by limit and offset without gap or repeat', async () => {
    const whole = await list(organization.owner.http);
    expect(await list(organization.owner.http, '?limit=2')).toEqual(whole.slice(0, 2));
    expect(await list(organization.owner.http, '?limit=2&offset=2')).toEqual(whole.slice(2, 4));
    expect(await list(organization.owner.http, '?offset=5&limit=200')).toEqual(whole.slice(5));
    expect(await list(organization.owner.http, '?offset=6')).toEqual([]);
  });

  test('in a session depends on the scope: notified, decidable or visible requests', async () => {
    expect(await list(named.browser, '?scope=notified')).toEqual([
      'other-agent',
      'expired',
      'denied',
      'approved',
      'routed',
      'unrouted',
    ]);
    expect(await list(unnamed.browser, '?scope=notified')).toEqual([]);
    expect(await list(unnamed.browser, '?scope=decidable')).toEqual([
      'other-agent',
      'expired',
      'denied',
      'approved',
      'unrouted',
    ]);
    const reader = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.read.unrouted'),
    });
    expect(await list(reader.browser, '?scope=decidable')).toEqual([]);
    expect(await list(reader.browser, '?scope=visible')).toEqual([
      'other-agent',
      'expired',
      'denied',
      'approved',
      'routed',
      'unrouted',
    ]);
    expect(await list(reader.browser)).toEqual(await list(reader.browser, '?scope=visible'));
    const plainReader = await createMember(app, organization.id, {
      policies: everywhere('request.read'),
    });
    expect(await list(plainReader.browser)).toEqual([
      'other-agent',
      'expired',
      'denied',
      'approved',
      'unrouted',
    ]);
  });

  test('omits from the notified scope what the caller may no longer decide', async () => {
    const leaving = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.decide'),
    });
    const id = await ask(app, otherAgent);
    expect(await list(leaving.browser, '?scope=notified')).toEqual([id]);
    await app
      .db('permission_policies')
      .where({ membership_id: leaving.membershipId })
      .update({ permissions: ['request.read'] });
    expect(await list(leaving.browser, '?scope=notified')).toEqual([]);
    expect(await list(leaving.browser, '?scope=visible')).toContain(id);
    await adapterOf(app, otherAgent).delete(`/api/aap/v1/requests/${id}`);
  });

  test('ignores the scope for API keys', async () => {
    for (const scope of ['notified', 'decidable', 'visible']) {
      expect(await list(unnamed.http, `?scope=${scope}`)).toEqual([
        'other-agent',
        'expired',
        'denied',
        'approved',
        'unrouted',
      ]);
    }
  });

  test('holds only the agents that the caller has the permission for', async () => {
    const scoped = await createMember(app, organization.id, {
      policies: [
        {
          scope_kind: 'agent',
          resource_ids: [otherAgent.slug],
          permissions: ['request.read', 'request.decide'],
        },
      ],
    });
    expect(await list(scoped.http)).toEqual(['other-agent']);
    expect(await list(scoped.http, `?agent_slug=${agent.slug}`)).toEqual([]);
  });

  test('shows whole requests, including exact arguments and decisions', async () => {
    const answer = await organization.owner.http.get('/api/v1/requests?status=denied');
    expect(answer.body['requests']).toHaveLength(1);
    const [shown] = answer.body['requests'] ?? [];
    expect(shown).not.toHaveProperty('can_decide');
    const alone = await organization.owner.http.get(`/api/v1/requests/${ids.get('denied')}`);
    expect(alone.body).toMatchObject(shown ?? {});
    expect(shown).toMatchObject({
      status: 'denied',
      decision: { status: 'denied' },
    });
  });

  test('holds nothing of other organizations, also for the name of their agent', async () => {
    const foreign = await createOrganization(app);
    expect(await list(foreign.owner.http)).toEqual([]);
    expect(await list(foreign.owner.http, `?agent_slug=${agent.slug}`)).toEqual([]);
  });

  test.each([
    ['limit', ['0', '201', '-1', '1.5', 'ten', '', '1e2', '%2B5']],
    ['offset', ['-1', '0.5', 'x', '', '1000001']],
    ['status', ['evaluating', 'PENDING', '']],
    ['scope', ['all', '']],
    ['agent_slug', ['-bot', 'Bot', '', 'a'.repeat(64)]],
    ['q', ['x'.repeat(201), '%00']],
    ['order', ['asc']],
  ])('refuses a bad %s with a pointer to it', async (parameter, values) => {
    for (const value of values) {
      const answer = await organization.owner.http.get(`/api/v1/requests?${parameter}=${value}`);
      expect(answer).toMatchObject({ status: 400, body: { error: { type: 'invalid_request' } } });
      const issues = answer.body['error']?.['details']?.['issues'] ?? [];
      expect(issues.map((issue) => issue['pointer'])).toEqual([`/query/${parameter}`]);
    }
  });

  test('refuses a parameter given twice', async () => {
    const answer = await organization.owner.http.get('/api/v1/requests?limit=1&limit=2');
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ pointer: '/query/limit' }] } } },
    });
  });
});

describe('the free text of the queue list', () => {
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await createOrganization(app);
    const agent = await createAgent(app, organization);
    for (const tool of ['50%_off', '50x-off', String.raw`C:\Temp`, 'Überweisung', 'plain'])
      await ask(app, agent, { tool });
    await app.db('agent_instances').where({ id: agent.instanceId }).update({ name: 'Night_Shift' });
    await ask(app, agent, { tool: 'late' });
  });

  test.each([
    ['PLAIN', ['plain']],
    ['lai', ['plain']],
    ['%', ['50%_off']],
    ['%_', ['50%_off']],
    ['50_', []],
    ['_', ['late', '50%_off']],
    ['\\', [String.raw`C:\Temp`]],
    ['überW', ['Überweisung']],
    ['night_shift', ['late']],
    ['nothing like it', []],
    ['\t', ['late', 'plain', 'Überweisung', String.raw`C:\Temp`, '50x-off', '50%_off']],
    [' ', ['late', 'plain', 'Überweisung', String.raw`C:\Temp`, '50x-off', '50%_off']],
    ['agent night', ['late']],
    ['', ['late', 'plain', 'Überweisung', String.raw`C:\Temp`, '50x-off', '50%_off']],
  ])(
    '%j finds exactly %j: any case, no wildcards, each word in a name of its own',
    async (q, tools) => {
      const answer = await organization.owner.http.get(
        `/api/v1/requests?q=${encodeURIComponent(q)}`,
      );
      expect(answer.status).toBe(200);
      expect((answer.body['requests'] ?? []).map((request) => request['tool'])).toEqual(tools);
    },
  );
});

/** What a list shows of a request: less than a single read, which goes on with what its reader can do. */
const listed = (text: string) => `${text.slice(0, text.indexOf(',"arguments_digest":'))}}`;

test('a page of long documents has each request as it is read alone', async () => {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const sizes = [600_000, 10, 300_000, 900_000, 200_000, 20, 1_000_000];
  const ids: string[] = [];
  for (const [index, size] of sizes.entries())
    ids.unshift(
      await ask(app, agent, {
        arguments: { index, text: 'é'.repeat(size / 2) },
        ...(index % 2 === 0 && { context: { index }, agent_reasoning: `because of ${index}` }),
      }),
    );
  const { http } = organization.owner;
  const texts = await Promise.all(
    ids.map(async (id) => listed((await http.get(`/api/v1/requests/${id}`)).text)),
  );
  expect((await http.get('/api/v1/requests')).text).toBe(`{"requests":[${texts.join(',')}]}`);
  const part = await http.get('/api/v1/requests?limit=3&offset=2');
  expect(part.text).toBe(`{"requests":[${texts.slice(2, 5).join(',')}]}`);
});
