/** Simulations: what another document would have answered to requests of the past. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf } from '../../support/adapter.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createMember } from '../../support/scene/factories.ts';
import { issuesOf } from '../../support/refusals.ts';
import { always, BASE, cel, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { until } from '../../support/waiting.ts';

const { app, owner, organization, agents, decide, pipeline, person } = await scene({
  app: {
    temporal: true,
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { bot: {}, other: {}, risky: {}, bulky: {} },
});
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

const create = async (agent: keyof typeof agents, tool: string, args: object = {}) =>
  requestOf(await agents[agent].adapter.create({ tool, arguments: args, timeout: '1h' }));

const amount = (id: string, operator: string, value: number, config: object = {}) =>
  cel(id, { id: `when-${id}`, field: '/request/arguments/amount', operator, value }, config);
const small = (limit: number) => amount('small', 'less_than', limit);

const of = (agent: string) => `${BASE}/agents/${agent}`;
const page = async (base: string, document: object, member = owner) => {
  const answer = await member.http.post(`${base}/simulate`, document);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body as unknown as Page;
};

/** All pages as one: a busy machine ends a page early. */
async function simulate(base: string, document: object, member = owner) {
  const { next_cursor: first, ends_at: _end, ...begun } = await page(base, document, member);
  let [cursor, all] = [first, begun];
  while (cursor !== undefined) {
    const {
      next_cursor,
      ends_at: _nextEnd,
      ...next
    } = await page(base, { ...document, cursor }, member);
    all = {
      evaluated: all.evaluated + next.evaluated,
      same: all.same + next.same,
      changed: all.changed + next.changed,
      undetermined: all.undetermined + next.undetermined,
      by_outcome: {
        approve: all.by_outcome.approve + next.by_outcome.approve,
        deny: all.by_outcome.deny + next.by_outcome.deny,
        human: all.by_outcome.human + next.by_outcome.human,
      },
      by_change: [...all.by_change, ...next.by_change],
      undetermined_at: [...all.undetermined_at, ...next.undetermined_at],
      changes: [...all.changes, ...next.changes],
    };
    cursor = next_cursor;
  }
  return all;
}

/** A page that looks at this many requests. */
async function wholePage(base: string, document: object, evaluated: number): Promise<Page> {
  const seen: Page[] = [];
  await until('a page that does not end early', async () => {
    seen.push(await page(base, document));
    return seen.at(-1)?.evaluated === evaluated;
  });
  return seen.at(-1) as Page;
}

interface Page {
  readonly evaluated: number;
  readonly same: number;
  readonly changed: number;
  readonly undetermined: number;
  readonly by_outcome: Readonly<Record<'approve' | 'deny' | 'human', number>>;
  readonly by_change: readonly object[];
  readonly undetermined_at: readonly object[];
  readonly changes: readonly { readonly id: string }[];
  readonly ends_at?: string;
  readonly next_cursor?: string;
}

const idsOf = ({ changes }: Pick<Page, 'changes'>) => changes.map(({ id }) => id);

describe("an agent's requests", () => {
  /** Newest first. */
  const ids: string[] = [];
  const current = {
    blocks: [small(50), amount('huge', 'greater_than', 900, { on_match: 'deny' })],
  };

  beforeAll(async () => {
    await pipeline('bot', current);
    for (const each of [10, 40, 60, 950]) {
      const { id } = await create('bot', 'refund', { amount: each });
      ids.unshift(id);
    }
    await create('other', 'refund', { amount: 60 });
  });

  test('have the same outcomes by the same rules', async () => {
    expect(await simulate(of('bot'), current)).toEqual({
      evaluated: 4,
      same: 4,
      changed: 0,
      undetermined: 0,
      by_outcome: { approve: 2, deny: 1, human: 1 },
      by_change: [],
      undetermined_at: [],
      changes: [],
    });
  });

  const shown = (amount: number) => ({
    created_at: expect.any(String) as unknown,
    tool: 'refund',
    title: `Refund ${amount}`,
    excerpt: `Refund ${amount}`,
    amount: { value: amount },
  });

  test('change where other rules decide, newest first, with the block that does', async () => {
    const answer = await simulate(of('bot'), { blocks: [small(20), always('no')] });
    expect(answer).toEqual({
      evaluated: 4,
      same: 2,
      changed: 2,
      undetermined: 0,
      by_outcome: { approve: 1, deny: 3, human: 0 },
      by_change: expect.arrayContaining([
        { was: 'human', would_be: 'deny', count: 1 },
        { was: 'approve', would_be: 'deny', count: 1 },
      ]),
      undetermined_at: [],
      changes: [
        { ...shown(60), id: ids[1], was: 'human', would_be: 'deny', block_id: 'no' },
        { ...shown(40), id: ids[2], was: 'approve', would_be: 'deny', block_id: 'no' },
      ],
    });
  });

  test('that would run without a person come first, the largest amount before others', async () => {
    const large = cel('large', {
      id: 'w',
      field: '/request/arguments/amount',
      operator: 'in',
      value: [60, 950],
    });
    const answer = await wholePage(of('bot'), { blocks: [large, always('no')] }, 4);
    expect(answer.changes).toMatchObject([
      { id: ids[0], was: 'deny', would_be: 'approve', amount: { value: 950 } },
      { id: ids[1], was: 'human', would_be: 'approve', amount: { value: 60 } },
      { id: ids[2], was: 'approve', would_be: 'deny' },
      { id: ids[3], was: 'approve', would_be: 'deny' },
    ]);
    expect(answer.by_change).toContainEqual({ was: 'approve', would_be: 'deny', count: 2 });
  });

  test('name no block where every block passes the request on', async () => {
    const { changes } = await simulate(of('bot'), { blocks: [] });
    expect(changes).toEqual([
      { ...shown(950), id: ids[0], was: 'deny', would_be: 'human' },
      { ...shown(40), id: ids[2], was: 'approve', would_be: 'human' },
      { ...shown(10), id: ids[3], was: 'approve', would_be: 'human' },
    ]);
  });

  test('come page by page, each once', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const one = await page(of('bot'), {
        blocks: [always('a', { outcome: 'human' })],
        limit: 1,
        ...(cursor !== undefined && { cursor }),
      });
      expect(one.evaluated).toBeLessThanOrEqual(1);
      seen.push(...idsOf(one));
      expect(one.ends_at === undefined).toBe(one.next_cursor === undefined);
      cursor = one.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([ids[0], ids[2], ids[3]]);
  });

  test('count from `from_at`, and before `to_at`', async () => {
    const at = async (id: string | undefined) =>
      String((await owner.http.get(`/api/v1/requests/${String(id)}`)).body['created_at']);
    const [second, fourth] = [await at(ids[2]), await at(ids[0])];
    expect(await simulate(of('bot'), { ...current, from_at: second, to_at: fourth })).toMatchObject(
      { evaluated: 2, by_outcome: { approve: 1, deny: 0, human: 1 } },
    );
  });

  test('were for people however these answered', async () => {
    expect((await decide(owner, String(ids[1]))).status).toBe(200);
    expect(await simulate(of('bot'), current)).toMatchObject({ same: 4 });
  });

  test('count only once the rules have answered', async () => {
    const row = await app
      .db('approval_requests')
      .where({ id: ids[0] })
      .first<Record<string, unknown>>();
    for (const [state, wake_at] of [
      ['evaluating', null],
      ['cancelled', null],
    ] as const)
      await app.db('approval_requests').insert({
        ...row,
        ...{ id: randomUUID(), idempotency_key: randomUUID(), state, wake_at },
      });
    expect(await simulate(of('bot'), current)).toMatchObject({ evaluated: 4 });
  });

  test("pass the organization's rules first, by the revision of their time", async () => {
    await pipeline('organization', { blocks: [amount('all', 'greater_than', 0)] });
    expect(await simulate(of('bot'), { blocks: [always()] })).toMatchObject({
      by_outcome: { approve: 0, deny: 4, human: 0 },
    });
    const { id } = await create('bot', 'refund', { amount: 1000 });
    const answer = await simulate(of('bot'), { blocks: [always()] });
    expect(answer.by_outcome).toEqual({ approve: 1, deny: 4, human: 0 });
    expect(idsOf(answer)).not.toContain(id);
    await pipeline('organization', { blocks: [amount('none', 'less_than', 0)] });
  });
});

test("the organization's document meets every agent's requests, and their pinned pipelines", async () => {
  const answer = await simulate(ORGANIZATION, {
    blocks: [amount('large', 'greater_than', 900, { on_match: 'human' })],
  });
  expect(answer).toMatchObject({
    evaluated: 6,
    by_outcome: { approve: 2, deny: 0, human: 4 },
    changes: [
      { was: 'approve', would_be: 'human', block_id: 'large' },
      { was: 'deny', would_be: 'human', block_id: 'large' },
    ],
  });
});

describe('a block that asks another system', () => {
  const ask = (id: string, config: object = {}) => ({
    id,
    name: id,
    type: 'webhook',
    // A busy machine may take long to answer.
    timeout: '30s',
    config: { endpoint_key: 'rules', ...config },
  });
  const risky = cel(
    'risky',
    {
      id: 'score',
      field: '/previous_metadata/agent/renamed/score',
      operator: 'equals',
      value: 'digits',
    },
    { on_match: 'deny' },
  );

  beforeAll(async () => {
    await owner.http.post('/api/v1/webhook_endpoints/rules/revisions', {
      name: 'Rules',
      url: receiver.url,
    });
    await owner.http.post('/api/v1/webhook_endpoints/rules/revisions/1/activate', undefined, {
      headers: { 'if-match': '"0"' },
    });
    await pipeline('risky', { blocks: [ask('first'), ask('last', { on_error: 'deny' })] });
    receiver.respondWith((response) => {
      const posted = JSON.parse(receiver.received.at(-1)?.body ?? '') as { block: { id: string } };
      if (posted.block.id === 'last') response.writeHead(400).end();
      else response.end('{"outcome":"next","metadata":{"score":9007199254740993}}');
    });
    expect((await create('risky', 'refund')).status).toBe('denied');
  });

  const unasked = async (blocks: readonly object[]) => {
    const before = receiver.received.length;
    const answer = await simulate(of('risky'), { blocks });
    expect(receiver.received).toHaveLength(before);
    return answer;
  };

  test('is not asked again: its answer or failure of then counts', async () => {
    const same = [ask('first'), ask('last', { on_error: 'deny' })];
    expect(await unasked(same)).toMatchObject({ evaluated: 1, same: 1 });
  });

  test('gives its metadata to conditions, digit for digit, under the id that it has now', async () => {
    const scored = (digits: string) =>
      JSON.stringify({ blocks: [ask('renamed'), risky] }).replace('"digits"', digits);
    for (const [digits, outcome] of [
      ['9007199254740993', 'deny'],
      ['9007199254740992', 'human'],
    ] as const)
      expect((await owner.http.post(`${of('risky')}/simulate`, scored(digits))).body).toMatchObject(
        { evaluated: 1, by_outcome: { [outcome]: 1 } },
      );
  });

  test('that asks something else leaves the request undetermined, unless it is not reached', async () => {
    const other = ask('first', { reason: 'Another question.' });
    expect(await unasked([other])).toEqual({
      evaluated: 1,
      same: 0,
      changed: 0,
      undetermined: 1,
      by_outcome: { approve: 0, deny: 0, human: 0 },
      by_change: [],
      undetermined_at: [{ scope: 'agent', block_id: 'first', count: 1 }],
      changes: [],
    });
    expect(await unasked([always(), other])).toMatchObject({ undetermined: 0, same: 1 });
  });
});

test('long documents come in several batches of one page', async () => {
  const note = 'x'.repeat(400_000);
  await pipeline('bulky', { blocks: [] });
  for (let count = 0; count < 5; count++) await create('bulky', 'export', { note, count });
  const odd = cel('odd', {
    id: 'xs',
    all: [
      { id: 'long', field: '/request/arguments/note', operator: 'matches', value: '^x+$' },
      { id: 'some', field: '/request/arguments/count', operator: 'in', value: [1, 3] },
    ],
  });
  expect(await simulate(of('bulky'), { blocks: [odd] })).toEqual({
    ...{ evaluated: 5, same: 3, changed: 2, undetermined: 0 },
    by_outcome: { approve: 2, deny: 0, human: 3 },
    by_change: expect.anything(),
    undetermined_at: [],
    changes: [
      expect.objectContaining({ was: 'human', would_be: 'approve', block_id: 'odd' }),
      expect.objectContaining({ was: 'human', would_be: 'approve', block_id: 'odd' }),
    ],
  });
});

describe('permissions', () => {
  const refused = (permission: string) => ({
    error: expect.objectContaining({
      code: 'permission_denied',
      details: expect.objectContaining({ permission }),
    }),
  });

  test('take both pipeline.write and request.read at the same scope', async () => {
    const writer = await person(['pipeline.write']);
    const reader = await person(['request.read']);
    for (const base of [ORGANIZATION, of('bot')]) {
      const one = await writer.http.post(`${base}/simulate`, { blocks: [] });
      expect([one.status, one.body]).toEqual([403, refused('request.read')]);
      const other = await reader.http.post(`${base}/simulate`, { blocks: [] });
      expect([other.status, other.body]).toEqual([403, refused('pipeline.write')]);
    }
    const policies = [
      {
        scope_kind: 'agent' as const,
        resource_ids: ['other'],
        permissions: ['pipeline.write', 'request.read'],
      },
    ];
    const ofOther = await createMember(app, organization.id, { policies });
    expect(await simulate(of('other'), { blocks: [] }, ofOther)).toMatchObject({ evaluated: 1 });
    for (const base of [ORGANIZATION, of('bot')])
      expect((await ofOther.http.post(`${base}/simulate`, { blocks: [] })).status).toBe(403);
    const mixed = await createMember(app, organization.id, {
      policies: [...policies, everywhere('pipeline.write')],
    });
    expect((await mixed.http.post(`${ORGANIZATION}/simulate`, { blocks: [] })).body).toMatchObject(
      refused('request.read'),
    );
  });

  test('leave out requests that the caller may not see', async () => {
    await pipeline('other', 'finance');
    const { id } = await create('other', 'secret');
    const document = { blocks: [always()] };
    const reader = await person(['pipeline.write', 'request.read']);
    expect((await reader.http.get(`/api/v1/requests/${id}`)).status).toBe(403);
    const answer = await simulate(of('other'), document, reader);
    expect(answer).toMatchObject({ evaluated: 1 });
    expect(idsOf(answer)).not.toContain(id);
    const all = await person(['pipeline.write', 'request.read', 'request.read.unrouted']);
    expect(idsOf(await simulate(of('other'), document, all))).toContain(id);
  });
});

test.each<[string, object]>([
  ['/blocks', {}],
  ['/blocks/0/type', { blocks: [{ ...always(), type: 'x' }] }],
  [
    '/blocks/0/config/blocks/0/config/outcome',
    {
      blocks: [
        {
          ...always('b'),
          type: 'branch',
          config: {
            when: { id: 'w', field: '/request/tool', operator: 'exists' },
            reason: 'r',
            blocks: [always('inner', { outcome: 'next' })],
          },
        },
      ],
    },
  ],
  ['/limit', { blocks: [], limit: 0 }],
  ['/limit', { blocks: [], limit: 2001 }],
  ['/from_at', { blocks: [], from_at: 'yesterday' }],
  ['/from_at', { blocks: [], from_at: '0000-01-01T00:00:00Z' }],
  ['/to_at', { blocks: [], from_at: '2026-03-02T00:00:00Z', to_at: '2026-03-02T00:00:00Z' }],
  ['/cursor', { blocks: [], cursor: 'x' }],
  ['/sample', { blocks: [], sample: {} }],
])('a problem at %s is a 400 with that pointer', async (pointer, body) => {
  const answer = await owner.http.post(`${of('bot')}/simulate`, body);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer })]);
});

test.each([
  ['another document', { blocks: [always('late')] }],
  ['another default path', { default_escalation_path: 'on-call' }],
  ['another beginning', { from_at: '2020-01-02T00:00:00Z' }],
  ['no beginning', { from_at: undefined }],
  ['an end', { to_at: '2090-01-01T00:00:00Z' }],
])('a cursor belongs to one simulation, not to one with %s', async (_name, change) => {
  const document = { blocks: [], from_at: '2020-01-01T00:00:00Z' };
  const { next_cursor: cursor } = await page(of('bot'), { ...document, limit: 1 });
  const refused = await owner.http.post(`${of('bot')}/simulate`, {
    ...{ ...document, ...change, cursor },
  });
  expect(refused.status).toBe(400);
  expect(issuesOf(refused)).toMatchObject([{ pointer: '/cursor', code: 'invalid_cursor' }]);
  const same = await owner.http.post(`${of('bot')}/simulate`, {
    ...{ ...document, from_at: '2020-01-01T01:00:00+01:00', limit: 2, cursor },
  });
  expect(same.status).toBe(200);
});

test('a cursor belongs to one pipeline, and an unknown agent has none', async () => {
  const { next_cursor: cursor } = await page(of('bot'), { blocks: [], limit: 1 });
  const elsewhere = await owner.http.post(`${ORGANIZATION}/simulate`, {
    blocks: [],
    cursor,
  });
  expect(issuesOf(elsewhere)).toEqual([
    expect.objectContaining({ pointer: '/cursor', code: 'invalid_cursor' }),
  ]);
  expect((await owner.http.post(`${of('nope')}/simulate`, { blocks: [] })).status).toBe(404);
});

test('changes show calls as lists do: without hidden values, and amounts digit for digit', async () => {
  const { id } = requestOf(
    await agents.bulky.adapter.create(
      '{"tool":"create_refund","timeout":"1h","arguments":{"amount":12345678901234567890.10,"currency":"EUR","payment_id":"pay_1","api_key":"hunter2"}}',
    ),
  );
  const answer = await owner.http.post(`${of('bulky')}/simulate`, {
    blocks: [
      cel('all', { id: 'w', field: '/request/tool', operator: 'equals', value: 'create_refund' }),
    ],
  });
  expect(answer.body).toMatchObject({ changes: [{ id, title: expect.stringContaining('pay_1') }] });
  expect(answer.text).toContain('"amount":{"value":12345678901234567890.10,"currency":"EUR"}');
  expect(answer.text).not.toContain('hunter2');
});
