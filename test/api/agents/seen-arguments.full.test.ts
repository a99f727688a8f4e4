/** What an agent's arguments had, over HTTP: whose calls count, and what is never shown. */
import { expect, test } from '@jest/globals';
import { issuesOf, outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { createMember, type TestMember } from '../../support/scene/factories.ts';

const { app, owner, people, organization, ask, agents } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { first: [['ada']], second: [['bob']] },
  pipelines: { bot: 'first', other: 'second', bulky: {} },
});

const seen = (query: string, { http }: TestMember = owner, agent = 'bot') =>
  http.get(`/api/v1/agents/${agent}/seen_arguments?${query}`);
const member = (...permissions: string[]) =>
  createMember(app, organization.id, {
    policies: [{ scope_kind: 'agent', resource_ids: ['bot'], permissions }],
  });

test('fields of the calls of a tool are listed as conditions name them, digit for digit', async () => {
  const call = (args: unknown, server?: string) =>
    ask({ tool: 'refund', arguments: args, ...(server !== undefined && { server }) });
  await call({ amount: 20, to: [{ iban: 'DE1' }] });
  await agents.bot.adapter.create(
    `{"tool":"refund","server":"shop","timeout":"1h","arguments":{"amount":1249.950,"password":"hunter2"}}`,
  );
  await ask({ tool: 'other', arguments: { else: 1 } });
  await ask({ agent: 'other', tool: 'refund', arguments: { elsewhere: 1 } });
  const answer = await seen('tool=refund');
  expect(outcome(answer)).toBe('200');
  expect(answer.text).toContain('"examples":[{"value":1249.950},{"value":20}]');
  expect(answer.text).not.toContain('hunter2');
  expect(answer.body).toEqual({
    fields: [
      {
        pointer: '/request/arguments/amount',
        types: ['number'],
        count: 2,
        examples: [{ value: 1249.95 }, { value: 20 }],
      },
      {
        pointer: '/request/arguments/password',
        types: ['string'],
        count: 1,
        examples: [],
        hidden: true,
      },
      { pointer: '/request/arguments/to', types: ['array'], count: 1, examples: [] },
      {
        lists: ['/request/arguments/to'],
        pointer: '/item',
        types: ['object'],
        count: 1,
        examples: [],
      },
      {
        lists: ['/request/arguments/to'],
        pointer: '/item/iban',
        types: ['string'],
        count: 1,
        examples: [{ value: 'DE1' }],
      },
    ],
    requests: 2,
    truncated: false,
  });
  expect((await seen('tool=refund&server=shop')).body).toMatchObject({ requests: 1 });
  expect((await seen('tool=refund&server=none')).body).toEqual({
    ...{ fields: [], requests: 0, truncated: false },
  });
});

test('a presentation hides values of its calls alone', async () => {
  await owner.browser.post('/api/v1/tool_presentations', {
    ...{ tool: 'pay', server: 'bank', title: 'Pay' },
    fields: [{ path: '/pin', label: 'Pin', kind: 'text', role: 'sensitive' }],
  });
  const pay = (pin: string, server?: string) =>
    ask({ tool: 'pay', arguments: { pin }, ...(server !== undefined && { server }) });
  await pay('open');
  await pay('closed', 'bank');
  const { text, body } = await seen('tool=pay');
  expect(text).not.toContain('closed');
  expect(body['fields']).toEqual([
    {
      ...{ pointer: '/request/arguments/pin', types: ['string'], count: 2, hidden: true },
      examples: [{ value: 'open' }],
    },
  ]);
});

test('only requests that the caller may see count, and both permissions are needed', async () => {
  await ask({ tool: 'wipe', arguments: { disk: 'a' } });
  const reader = await member('agent.read', 'request.read');
  expect((await seen('tool=wipe', reader)).body).toMatchObject({ fields: [], requests: 0 });
  const wide = await member('agent.read', 'request.read', 'request.read.unrouted');
  expect((await seen('tool=wipe', wide)).body).toMatchObject({ requests: 1 });
  const asked = await createMember(app, organization.id, {
    policies: [{ scope_kind: 'organization', permissions: ['agent.read'] }],
  });
  const refused = await seen('tool=wipe', asked);
  expect([outcome(refused), refused.body['error']?.['details']]).toEqual([
    '403 permission_denied',
    {
      ...{ permission: 'request.read', scope_kind: 'agent', scope_id: 'bot' },
      reason: 'missing_permission',
    },
  ]);
  expect(outcome(await seen('tool=wipe', await member('request.read')))).toBe(
    '403 permission_denied',
  );
  expect(outcome(await seen('tool=wipe', people.ada))).toBe('403 permission_denied');
});

test('names of no agent and of no tool are refused', async () => {
  expect(outcome(await seen('tool=wipe', owner, 'nobody'))).toBe('404 not_found');
  // What is wrong with the query is for those who may ask.
  const blind = await member('agent.read');
  expect(outcome(await seen('', blind))).toBe('403 permission_denied');
  expect(outcome(await seen('', owner, 'nobody'))).toBe('404 not_found');
  expect(issuesOf(await seen(''))).toMatchObject([{ pointer: '/query/tool', code: 'required' }]);
  expect((await seen(`tool=${'x'.repeat(513)}`)).status).toBe(400);
  expect((await seen('tool=%20')).status).toBe(400);
  expect((await seen('tool=a%00')).status).toBe(400);
});

test('the last 500 calls count, however many others are between them', async () => {
  const id = await ask({ tool: 'ping', arguments: { n: 'first' } });
  const copy = (tool: string, count: number, from: number) =>
    app.db.raw(
      `insert into approval_requests
       select (jsonb_populate_record(r, jsonb_build_object(
                'id', gen_random_uuid(), 'tool', cast(:tool as text), 'idempotency_key', gen_random_uuid(), 'wake_at', null,
                'arguments', jsonb_build_object('n', i), 'created_at', r.created_at + (:from + i) * interval '1 ms'))).*
         from approval_requests r, generate_series(1, :count) as i where r.id = :id`,
      { id, tool, count, from },
    );
  await copy('ping', 510, 0);
  await copy('pong', 4_500, 1_000);
  const { body } = await seen('tool=ping');
  expect(body).toEqual({
    fields: [
      {
        ...{ pointer: '/request/arguments/n', types: ['number'], count: 500 },
        examples: [{ value: 510 }, { value: 509 }],
      },
    ],
    ...{ requests: 500, truncated: false },
  });
});

test('long documents are read for a second at most, off the event loop and a few at a time', async () => {
  const list = Array.from({ length: 100_000 }, (_, index) => index);
  const id = await ask({ agent: 'bulky', tool: 'bulk', arguments: { list } });
  await app.db.raw(
    `insert into approval_requests
     select (jsonb_populate_record(r, jsonb_build_object(
              'id', gen_random_uuid(), 'idempotency_key', gen_random_uuid(), 'wake_at', null,
              'created_at', r.created_at + i * interval '1 ms'))).*
       from approval_requests r, generate_series(1, 120) as i where r.id = :id`,
    { id },
  );
  const { status, body } = await seen('tool=bulk', owner, 'bulky');
  expect(status).toBe(200);
  expect(Number(body['requests'])).toBeGreaterThan(0);
  // Reading all of them would take several seconds.
  expect(Number(body['requests'])).toBeLessThan(121);
  expect(body['fields']?.[1]).toMatchObject({
    lists: ['/request/arguments/list'],
    types: ['number'],
  });
});
