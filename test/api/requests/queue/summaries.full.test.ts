/** GET /requests?view=summary over HTTP: what an entry says, its order, its filters, and pages by cursor. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { HttpClient, Json } from '../../../support/http.ts';
import { REVIEWER, everywhere, scene } from '../../../support/scene.ts';
import { createOrganizationKey } from '../../../support/scene/factories.ts';

const { app, organization, owner, people, ...verbs } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { usual: [['ada'], ['bob']] },
  pipelines: {
    bot: 'usual',
    free: {},
    pages: {},
    deadlines: {},
    urgencies: {},
    sought: {},
    found: {},
  },
});
const { ask, claimed, decide, later, release, routing } = verbs;
const { ada, bob } = people;

const entries = async (client: HttpClient, query = ''): Promise<readonly Json[]> => {
  const answer = await client.get(`/api/v1/requests?view=summary&${query}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body['requests'] ?? [];
};
const entryOf = async (client: HttpClient, id: string) => (await entries(client, `q=${id}`)).at(0);
const ids = (list: readonly Json[]) => list.map((each) => String(each['id']));

describe('an entry', () => {
  test('has all of a request but its documents, and what its reader sees first', async () => {
    const id = await ask({ arguments: { z: 1.5, note: 'ä' } });
    const full = (await ada.browser.get(`/api/v1/requests/${id}`)).body;
    const { arguments: given, arguments_digest: _, presentation: _p, ...rest } = full;
    const { can_add_reviewers: _a, hidden_names: _h, approval_window: _w, ...facts } = rest;
    expect(await entryOf(ada.browser, id)).toEqual({
      ...facts,
      arguments_bytes: Buffer.byteLength(JSON.stringify(given)),
      title: 'Deploy',
      excerpt: expect.any(String),
      notified_at: expect.any(String),
      routing: {
        state: 'waiting',
        path_name: 'usual',
        next_at: (await routing(id))['next_at'],
      },
    });
  });

  test('shows the end of a padded text, however long it is, and no end of a later one', async () => {
    const excerptOf = async (args: object) =>
      (await entryOf(ada.browser, await ask({ arguments: args })))?.['excerpt'];
    for (const length of [1_990, 7_985, 8_500, 9_100, 300_000]) {
      const text = await excerptOf({ command: `ls${' '.repeat(length)}; rm -rf /` });
      expect([length, text]).toEqual([length, expect.stringMatching(/command: ls.* rm -rf \/$/)]);
    }
    expect(await excerptOf({ command: `ls${' '.repeat(300_000)}; rm -rf /` })).toMatch(
      / … \(300,0\d\d characters\) … /,
    );
    const words = 'one two '.repeat(2_000);
    expect(await excerptOf({ note: words, password: `${words} hunter2` })).toMatch(
      /note: one .*… \([\d,]+ characters\)$/,
    );
    expect(
      await excerptOf({ note: 'x'.repeat(7_980), password: `${words} hunter2` }),
    ).not.toContain('hunter2');
  });

  test('is made of the presentation of the tool, of the organization before the built-in one', async () => {
    const id = await ask({ tool: 'pay', arguments: { amount: 12, card: '4111', to: 'x\u202ey' } });
    expect((await entryOf(owner.browser, id))?.['excerpt']).toBe(
      String.raw`amount: 12 · card: 4111 · to: x\u202ey`,
    );
    const created = await owner.browser.post('/api/v1/tool_presentations', {
      tool: 'pay',
      title: 'Pay {/amount} from {/card}',
      fields: [
        { path: '/to', label: 'To', kind: 'text', role: 'primary' },
        { path: '/card', label: 'Card', kind: 'text', role: 'sensitive' },
      ],
    });
    expect(created.status).toBe(201);
    expect((await entryOf(owner.browser, id))?.['excerpt']).toBe(
      String.raw`Pay 12 from ••• · To: x\u202ey`,
    );
  });

  test('is short, whatever the agent sent', async () => {
    const large = { text: 'é'.repeat(400_000), more: [1, 2] };
    const id = await ask({
      arguments: large,
      ...{ context: { c: 'x'.repeat(1_000) }, agent_reasoning: 'because' },
    });
    const entry = await entryOf(owner.browser, id);
    expect(entry).toMatchObject({ arguments_bytes: Buffer.byteLength(JSON.stringify(large)) });
    expect(JSON.stringify(entry).length).toBeLessThan(2_000);
    expect(String(entry?.['excerpt'])).toMatch(/^Deploy · text: é+… \(400,024 characters\)$/);
  });

  test('says where the request is, like its routing', async () => {
    const id = await ask();
    const both = async () => {
      const { state, path_name } = await routing(id);
      const entry = await entryOf(owner.browser, id);
      expect(entry?.['routing']).toMatchObject({ state, path_name });
      return entry;
    };
    expect(await both()).toMatchObject({ routing: { state: 'waiting' }, can_claim: true });
    expect(await both()).not.toHaveProperty('notified_at');
    await claimed(ada, id);
    const paused = await both();
    expect(paused).toMatchObject({ routing: { state: 'paused' }, can_claim: false });
    expect(paused?.['routing']).not.toHaveProperty('next_at');
    await release(ada, id);
    await later(id);
    await later(id);
    expect(await both()).toMatchObject({ routing: { state: 'exhausted' } });
    await decide(ada, id);
    expect(await both()).toMatchObject({ routing: { state: 'finished' }, can_decide: false });
    const free = await ask({ agent: 'free' });
    expect((await entryOf(owner.browser, free))?.['routing']).toEqual({ state: 'unrouted' });
  });

  test('says who decided, when the request is', async () => {
    const id = await ask();
    await decide(ada, id, { status: 'denied' });
    expect(await entryOf(owner.browser, id)).toMatchObject({
      status: 'denied',
      decision: { reviewer_display_name: ada.displayName, decided_at: expect.any(String) },
    });
  });

  test('says what the reader can do, as the request does', async () => {
    const id = await ask();
    const key = await createOrganizationKey(app, organization, [
      everywhere('request.read', 'request.read.unrouted'),
    ]);
    const reader = await verbs.person(['request.read', 'request.read.unrouted']);
    const added = await verbs.person(REVIEWER);
    await verbs.addReviewers(ada, id, [added]);
    const { browser } = reader;
    for (const client of [ada.browser, bob.http, owner.browser, key.http, browser, added.browser]) {
      const { body } = await client.get(`/api/v1/requests/${id}`);
      const { can_decide, can_claim } = body;
      expect(await entryOf(client, id)).toMatchObject({ can_decide, can_claim });
    }
  });
});

describe('the list', () => {
  test('is that of the full view, entry by entry', async () => {
    for (const client of [ada.browser, bob.browser, owner.browser, ada.http])
      for (const query of [
        '',
        'scope=notified',
        'scope=decidable',
        'status=approved',
        'offset=1',
      ]) {
        const full = await client.get(`/api/v1/requests?${query}`);
        expect(full.body).not.toHaveProperty('next_cursor');
        expect(ids(await entries(client, query))).toEqual(ids(full.body['requests'] ?? []));
      }
  });

  test('holds nothing of another organization', async () => {
    const other = await scene({ on: app, pipelines: { bot: {} } });
    const id = await other.ask();
    expect(ids(await entries(other.owner.browser))).toEqual([id]);
    expect(ids(await entries(owner.browser))).not.toContain(id);
    expect(await entries(owner.browser, `q=${id}`)).toEqual([]);
  });
});

describe('pages by cursor', () => {
  const all: string[] = [];

  beforeAll(async () => {
    for (let n = 0; n < 5; n += 1) all.unshift(await ask({ agent: 'pages' }));
  });

  test.each([
    ['summaries', 'view=summary'],
    ['whole requests', 'sort=created'],
  ])('of %s repeat and lose nothing when requests arrive meanwhile', async (_what, view) => {
    const seen: string[] = [];
    const before = [...all];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { body } = await owner.http.get(
        `/api/v1/requests?${view}&agent_slug=pages&limit=2${next}`,
      );
      seen.push(...ids(body['requests'] ?? []));
      cursor = body['next_cursor'] as string | undefined;
      all.unshift(await ask({ agent: 'pages' }));
    } while (cursor !== undefined);
    expect(seen).toEqual(before);
  });

  test('end exactly with the last entry', async () => {
    const { body } = await owner.http.get(
      `/api/v1/requests?view=summary&agent_slug=pages&limit=${all.length}`,
    );
    expect(ids(body['requests'] ?? [])).toEqual(all);
    expect(body).not.toHaveProperty('next_cursor');
  });

  test('by deadline give the one that expires first, and only pending ones', async () => {
    const agent = 'deadlines' as const;
    const late = await ask({ agent, timeout: '3h' });
    const soon = await ask({ agent, timeout: '1h' });
    const middle = await ask({ agent, timeout: '2h' });
    await decide(owner, await ask({ agent, timeout: '30m' }));
    const page = async (query: string) =>
      (await owner.http.get(`/api/v1/requests?view=summary&agent_slug=deadlines&${query}`)).body;
    const first = await page('sort=deadline&limit=2');
    expect(ids(first['requests'] ?? [])).toEqual([soon, middle]);
    const rest = await page(`sort=deadline&limit=2&cursor=${String(first['next_cursor'])}`);
    expect(ids(rest['requests'] ?? [])).toEqual([late]);
    expect(rest).not.toHaveProperty('next_cursor');
    // A cursor belongs to its order.
    expect(await page(`cursor=${String(first['next_cursor'])}`)).toMatchObject({
      error: { details: { issues: [{ pointer: '/query/cursor', code: 'invalid_cursor' }] } },
    });
  });

  test('by urgency give urgent ones first, each part by its deadlines, over any pages', async () => {
    const agent = 'urgencies' as const;
    const timeouts = ['4h', '1h', '3h', '2h', '5h'];
    const all: string[] = [];
    for (const timeout of timeouts) all.push(await ask({ agent, timeout }));
    const [late = '', first = '', middle = '', second = '', last = ''] = all;
    await app.db('approval_requests').whereIn('id', [late, last]).update({ urgency: 'interrupt' });
    for (const limit of [1, 2, 3]) {
      const seen: unknown[] = [];
      let cursor = '';
      do {
        const { body } = await owner.http.get(
          `/api/v1/requests?view=summary&agent_slug=urgencies&sort=urgency&limit=${limit}${cursor}`,
        );
        seen.push(...ids(body['requests'] ?? []));
        const next = body['next_cursor'];
        cursor = next === undefined ? '' : `&cursor=${String(next)}`;
      } while (cursor !== '');
      expect(seen).toEqual([late, last, first, second, middle]);
    }
  });

  test.each([
    ['cursor=WyJ4Il0&offset=0', '/query/offset'],
    ['cursor=x', '/query/cursor'],
    ['sort=deadline&status=approved', '/query/status'],
    ['sort=deadline&status=decided', '/query/status'],
    ['sort=urgency&status=expired', '/query/status'],
    ['sort=oldest', '/query/sort'],
    ['claimed=anyone', '/query/claimed'],
    ['urgency=high', '/query/urgency'],
    ['tool=', '/query/tool'],
    ['view=short', '/query/view'],
  ])('refuses %s with a pointer', async (query, pointer) => {
    const answer = await owner.http.get(`/api/v1/requests?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ pointer }] } } },
    });
  });
});

describe('a search', () => {
  test('finds each of its words in what a row shows, wherever it stands', async () => {
    const pay = { payment_id: 'pay_19', amount: 4999.99, currency: 'EUR', reason: '50% off_now' };
    const id = await ask({ agent: 'sought', tool: 'refund_payment', arguments: pay });
    await ask({ agent: 'sought', tool: 'refund_payment', arguments: { ...pay, amount: 4999.98 } });
    await ask({ agent: 'sought', tool: 'other', arguments: { note: `${'x'.repeat(5_000)} far` } });
    const found = async (q: string) =>
      ids(await entries(owner.browser, `agent_slug=sought&q=${encodeURIComponent(q)}`));
    expect(await found('4999.99')).toEqual([id]);
    expect(await found('Refund  4999.99 PAY_19')).toEqual([id]);
    expect(await found('4999.99 pay_20')).toEqual([]);
    expect(await found('50% off_')).toHaveLength(2);
    expect(await found('5_% off')).toEqual([]);
    expect(await found('far')).toEqual([]);
    expect(await found('one two three four five six seven eight nine')).toEqual([]);
  });

  test('and the row have the title of the presentation', async () => {
    const id = await ask({ tool: 'refund_payment', arguments: { amount: 1.5, charge: 'ch_1' } });
    expect(await entryOf(owner.browser, id)).toMatchObject({
      title: 'Refund 1.5 of ch_1',
      excerpt: 'Refund 1.5 of ch_1',
    });
    expect(await entryOf(owner.browser, await ask({ tool: 'no_such' }))).not.toHaveProperty(
      'title',
    );
  });
});

describe('filters', () => {
  let plain: string;
  let mine: string;
  let theirs: string;
  let decided: string;

  beforeAll(async () => {
    plain = await ask({ agent: 'found', tool: 'Find' });
    mine = await ask({ agent: 'found' });
    theirs = await ask({ agent: 'found' });
    decided = await ask({ agent: 'found' });
    await claimed(owner, mine);
    await claimed(bob, theirs);
    await claimed(ada, decided);
    await decide(owner, decided);
    await app.db('approval_requests').where({ id: theirs }).update({ urgency: 'interrupt' });
    await app.db('approval_requests').where({ id: mine }).update({ server: 'Ledger' });
  });

  const find = async (query: string, client = owner.browser) =>
    ids(await entries(client, `agent_slug=found&${query}`));

  test('by claim', async () => {
    expect(await find('claimed=me')).toEqual([mine]);
    expect(await find('claimed=others')).toEqual([theirs]);
    expect(await find('claimed=nobody')).toEqual([decided, plain]);
    expect(await find('claimed=nobody&status=pending')).toEqual([plain]);
    expect(await find('claimed=me', bob.browser)).toEqual([theirs]);
    const key = await createOrganizationKey(app, organization, [everywhere('request.read')]);
    expect(await find('claimed=me', key.http)).toEqual([]);
    await verbs.reachLapse(theirs);
    expect(await find('claimed=others')).toEqual([]);
    expect(await find('claimed=nobody')).toContain(theirs);
  });

  test('by urgency and by tool', async () => {
    expect(await find('urgency=interrupt')).toEqual([theirs]);
    expect(await find('tool=Find')).toEqual([plain]);
    expect(await find('tool=find')).toEqual([]);
  });

  test('by a text in the id, the tool, its server, the agent or the instance', async () => {
    expect(await find(`q=${plain.slice(5, 20).toUpperCase()}`)).toContain(plain);
    expect(await find(`q=${plain}`)).toEqual([plain]);
    expect(await find('q=ledge')).toEqual([mine]);
    expect(await find('q=fin&tool=Find')).toEqual([plain]);
    expect(ids(await entries(owner.browser, 'q=FOUND'))).toEqual([decided, theirs, mine, plain]);
    expect(await find('q=nothing like it')).toEqual([]);
  });
});
