/** GET /requests/changes over HTTP: what it names, to which callers, and that it misses nothing. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Db } from '../../../../src/platform/postgres.ts';
import { refused } from '../../../support/refusals.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import type { ApiResponse, HttpClient, Json } from '../../../support/http.ts';
import { everywhere, REVIEWER, scene } from '../../../support/scene.ts';
import { stepAt } from '../../../support/scene/approval-requests.ts';
import { ofMember, policiesOf } from '../../../support/scene/permission-policies.ts';
import { createOrganizationKey, type TestMember } from '../../../support/scene/factories.ts';
import { idOf } from '../../../support/tokens.ts';
import { until } from '../../../support/waiting.ts';

const cast = {
  people: { ada: REVIEWER, bob: REVIEWER, cleo: REVIEWER, eve: [] },
  teams: { night: ['bob'] },
  paths: { usual: [['ada'], ['night']], hers: [['cleo']] },
  pipelines: { bot: 'usual', hers: 'hers', free: {} },
} as const;
const { app, organization, owner, people, ...verbs } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  ...cast,
});
/** The same again: the reconciler may step requests of other tests, which is a change, too. */
const alone = () => scene({ on: app, ...cast });
const { ask, decide, person } = verbs;
const { ada, bob, cleo } = people;

const poll = (client: HttpClient, query: string): Promise<ApiResponse> =>
  client.get(`/api/v1/requests/changes?${query}`);

/** The answer, which must be one. */
async function changesOf(client: HttpClient, query: string): Promise<Json> {
  const { status, body, text } = await poll(client, query);
  expect([status, text]).toEqual([200, text]);
  return body;
}

const start = async (client: HttpClient, scope = 'visible'): Promise<string> =>
  String((await changesOf(client, `scope=${scope}`))['cursor']);
const since = (client: HttpClient, after: string, scope = 'visible'): Promise<Json> =>
  changesOf(client, `after=${after}&scope=${scope}`);
const ids = (changed: Json | undefined): string[] =>
  (changed ?? []).map((each) => String(each['id']));

/** Parks a poll, then makes the change. */
async function during(
  client: HttpClient,
  { after, scope = 'visible' }: { readonly after: string; readonly scope?: string },
  happens: () => Promise<unknown>,
): Promise<ApiResponse> {
  const before = app.context.queueWatch.size();
  const waiting = poll(client, `after=${after}&scope=${scope}&wait=30s`);
  await until('the poll is parked', () => app.context.queueWatch.size() > before);
  await happens();
  return await waiting;
}

describe('the first call', () => {
  test('has counts and a cursor at once, and nothing else', async () => {
    await ask();
    await ask({ agent: 'free' });
    const first = await changesOf(bob.browser, 'wait=30s');
    expect(first).toMatchObject({ changed: [], gone: [], cursor: expect.any(String) });
    expect(first).not.toHaveProperty('reset');
    const count = async (scope: string) =>
      ids(
        (await bob.browser.get(`/api/v1/requests?status=pending&scope=${scope}`)).body['requests'],
      ).length;
    expect(first['counts']).toEqual({
      notified: await count('notified'),
      decidable: await count('decidable'),
      visible: await count('visible'),
    });
    expect(first['counts']?.['notified']).toBeLessThan(Number(first['counts']?.['decidable']));
  });
});

describe('a change', () => {
  test('is named as the list shows the request, and once', async () => {
    const after = await start(ada.browser);
    const id = await ask();
    const named = await since(ada.browser, after);
    const listed = (await ada.browser.get(`/api/v1/requests?view=summary&q=${id}`)).body;
    expect(named['changed']).toEqual(listed['requests']);
    expect(named['gone']).toEqual([]);
    expect(await since(ada.browser, String(named['cursor']))).toMatchObject({
      changed: [],
      gone: [],
    });
  });

  type Alone = Awaited<ReturnType<typeof alone>>;
  test.each<[string, (own: Alone, id: string) => Promise<unknown>, boolean]>([
    ['a claim', (own, id) => own.claim(own.people.ada, id), false],
    ['a notified level', (own, id) => own.later(id), false],
    [
      'an added reviewer',
      (own, id) => own.addReviewers(own.people.ada, id, [own.people.cleo]),
      false,
    ],
    ['a decision', (own, id) => own.decide(own.people.bob, id), true],
    ['a withdrawal', (own, id) => own.withdraw(id), true],
  ])('by %s ends a wait', async (_what, happens, isGone) => {
    const own = await alone();
    const { browser } = own.people.ada;
    const id = await own.ask();
    const after = await start(browser);
    const { status, body } = await during(browser, { after }, () => happens(own, id));
    expect(status).toBe(200);
    expect({ changed: ids(body['changed']), gone: body['gone'] }).toEqual(
      isGone ? { changed: [], gone: [id] } : { changed: [id], gone: [] },
    );
  });

  test('is counted', async () => {
    const before = await changesOf(ada.browser, '');
    const id = await ask();
    const arrived = await since(ada.browser, String(before['cursor']));
    const more = (n: number) => ({
      notified: Number(before['counts']?.['notified']) + n,
      decidable: Number(before['counts']?.['decidable']) + n,
      visible: Number(before['counts']?.['visible']) + n,
    });
    expect(arrived['counts']).toEqual(more(1));
    await decide(ada, id);
    expect((await since(ada.browser, String(arrived['cursor'])))['counts']).toEqual(more(0));
  });

  test('that keeps the instant of the one before is named, too', async () => {
    const { ask, claim, claimed, people, release } = await alone();
    const { ada } = people;
    const id = await ask();
    await claimed(ada, id);
    await app
      .db('approval_requests')
      .where({ id })
      .update({ last_at: new Date(Date.now() + 60_000) });
    await release(ada, id);
    const after = await start(ada.browser);
    await claim(ada, id);
    expect(ids((await since(ada.browser, after))['changed'])).toEqual([id]);
  });

  test('is not a step that only puts the next look off', async () => {
    const { ask, claimed, people } = await alone();
    const { ada } = people;
    const id = await ask();
    await claimed(ada, id);
    const after = await start(ada.browser);
    const row = () => app.db('approval_requests').where({ id }).first<object>('wake_at');
    const before = await row();
    await stepAt(app, id);
    expect(await row()).not.toEqual(before);
    expect(ids((await since(ada.browser, after))['changed'])).toEqual([]);
  });

  test('is only named in its scope and organization, to callers who may see it', async () => {
    const other = await scene({ on: app, pipelines: { bot: {} } });
    const reader = await person(['request.read', 'request.read.unrouted']);
    const who = {
      ada: [ada.browser, 'notified'],
      'bob, not notified': [bob.browser, 'notified'],
      bob: [bob.browser, 'decidable'],
      cleo: [cleo.browser, 'visible'],
      reader: [reader.browser, 'visible'],
      'the reader, who may not decide': [reader.browser, 'decidable'],
      'a key, whose scope does not matter': [bob.http, 'notified'],
      'another organization': [other.owner.browser, 'visible'],
    } as const;
    const begun = await Promise.all(
      Object.entries(who).map(async ([name, [client, scope]]) => ({
        name,
        client,
        scope,
        after: await start(client, scope),
      })),
    );
    const id = await ask();
    const named = [];
    for (const { name, client, scope, after } of begun)
      if (ids((await since(client, after, scope))['changed']).includes(id)) named.push(name);
    expect(named).toEqual(['ada', 'bob', 'reader', 'a key, whose scope does not matter']);
    await decide(ada, id);
    const gone = [];
    for (const { name, client, scope, after } of begun)
      if (JSON.stringify((await since(client, after, scope))['gone']).includes(id)) gone.push(name);
    expect(gone).toEqual(named);
  });

  test('reaches an organization key, which decides nothing', async () => {
    const own = await alone();
    const key = await createOrganizationKey(app, own.organization, [
      everywhere('request.read', 'request.read.unrouted'),
    ]);
    const after = await start(key.http);
    const id = await own.ask();
    expect(await since(key.http, after)).toMatchObject({
      changed: [{ id, can_decide: false, can_claim: false }],
      counts: { notified: 0, decidable: 0 },
    });
  });

  test('is not missed when its transaction commits after later ones', async () => {
    const { ask, people } = await alone();
    const { ada } = people;
    const [early, late] = [await ask(), await ask()];
    const touch = (db: Db, id: string) =>
      db('approval_requests').where({ id }).update({ updated_at: new Date() });
    let after = await start(ada.browser);
    await app.db.transaction(async (trx) => {
      await touch(trx, early);
      await touch(app.db, late);
      const first = await since(ada.browser, after);
      expect(ids(first['changed'])).toEqual([late]);
      after = String(first['cursor']);
      expect(ids((await since(ada.browser, after))['changed'])).toEqual([]);
    });
    expect(ids((await since(ada.browser, after))['changed'])).toEqual([early]);
  });

  test('is not missed among many writers', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = await Promise.all(Array.from({ length: 6 }, () => ask()));
      let after = await start(ada.browser);
      const seen = new Set<string>();
      let isOver = false;
      const reading = (async () => {
        for (let isLast = false; !isLast;) {
          isLast = isOver;
          const body = await since(ada.browser, after);
          for (const id of [...ids(body['changed']), ...(body['gone'] ?? [])]) seen.add(String(id));
          after = String(body['cursor']);
        }
      })();
      await Promise.all(
        all.map(async (id, n) => {
          if (n % 2 === 0) return await decide(ada, id);
          return await app.db.transaction(async (trx) => {
            await trx('approval_requests').where({ id }).update({ updated_at: new Date() });
            await trx.raw('select pg_sleep(0.02 * cast(:n as integer))', { n });
          });
        }),
      );
      isOver = true;
      await reading;
      expect([...seen]).toEqual(expect.arrayContaining(all));
    }
  });
});

describe('access that changes', () => {
  let own: Awaited<ReturnType<typeof alone>>;

  beforeAll(async () => {
    own = await alone();
  });

  const deletePolicies = async (member: TestMember) => {
    const path = ofMember(member);
    for (const policy of await policiesOf(path, own.owner.browser))
      expect((await own.owner.browser.delete(`${path}/${String(policy.id)}`)).status).toBe(204);
  };
  const setTeam = async (...members: readonly TestMember[]) => {
    const body = { membership_ids: members.map(({ membershipId }) => membershipId) };
    const answer = await own.owner.browser.call('PUT', `/api/v1/teams/${own.teams.night}/members`, {
      body,
    });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
  };

  test('during a wait names what is no longer seen, and what is', async () => {
    const leaver = await own.person(REVIEWER);
    const free = await own.ask({ agent: 'free' });
    const routed = await own.ask();
    const after = await start(leaver.browser, 'decidable');
    const joined = await during(leaver.browser, { after, scope: 'decidable' }, () =>
      setTeam(own.people.bob, leaver),
    );
    expect(ids(joined.body['changed'])).toEqual(expect.arrayContaining([routed, free]));
    expect(joined.body['gone']).toEqual([]);
    const cursor = String(joined.body['cursor']);
    const left = await during(leaver.browser, { after: cursor, scope: 'decidable' }, () =>
      setTeam(own.people.bob),
    );
    expect(ids(left.body['changed'])).toContain(free);
    expect(ids(left.body['changed'])).not.toContain(routed);
    expect(left.body['gone']).toContain(routed);
  });

  test('between two calls has the list read again', async () => {
    const reader = await own.person(['request.read', 'request.read.unrouted']);
    const after = await start(reader.browser);
    await own.permit(reader, 'request.read');
    const answer = await since(reader.browser, after);
    expect(answer).toMatchObject({ changed: [], gone: [], reset: true });
    expect(await since(reader.browser, String(answer['cursor']))).not.toHaveProperty('reset');
  });

  test('ends a wait when the permission is lost', async () => {
    const leaver = await own.person(REVIEWER);
    const after = await start(leaver.browser);
    expect(await during(leaver.browser, { after }, () => deletePolicies(leaver))).toMatchObject(
      refused(403, 'permission_denied'),
    );
  });

  test('ends a wait with its session', async () => {
    const leaver = await own.person(REVIEWER);
    const after = await start(leaver.browser);
    const ends = () =>
      app
        .db('sessions')
        .where({ id: idOf(leaver.cookie) })
        .update({ revoked_at: new Date() });
    expect(
      await during(leaver.browser, { after }, async () => {
        await ends();
      }),
    ).toMatchObject(refused(401, 'authentication_required'));
  });
});

test('more changes than an answer names have the list read again', async () => {
  const after = await start(owner.browser);
  const id = await ask({ agent: 'free' });
  await app.db.raw(
    `insert into approval_requests
     select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', n))).*
       from approval_requests r, generate_series(1, 200) as n where r.id = :id`,
    { id },
  );
  expect(await since(owner.browser, after)).toMatchObject({ changed: [], gone: [], reset: true });
});

test('a wait without changes answers none when its time is over, and leaves nothing behind', async () => {
  const { browser } = (await alone()).owner;
  const after = await start(browser);
  const { status, body } = await poll(browser, `after=${after}&wait=1s`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ changed: [], gone: [] });
  expect(app.context.queueWatch.isEmpty()).toBe(true);
  expect((await app.context.metrics.parkedWaits.get()).values[0]?.value).toBe(0);
});

test('a cursor of a database that was restored since has the list read again', async () => {
  const cursor = JSON.parse(
    Buffer.from(await start(owner.browser), 'base64url').toString(),
  ) as string[];
  cursor[3] = '900000000000:900000000000:';
  const after = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  expect(await since(owner.browser, after)).toMatchObject({ reset: true });
});

describe('a cursor that is none', () => {
  const encoded = (...keys: unknown[]) => Buffer.from(JSON.stringify(keys)).toString('base64url');

  test.each([
    ['x'],
    [encoded('requests', 'created', '2026-11-21T13:00:00.000Z', organization.id)],
    ...['', '1', '0:1:', '2:1:', '1:9:9', '1:9:5,3', '5:9:4', '1:9:5,', `1:${'9'.repeat(20)}:`].map(
      (snapshot) => [encoded('changes', 'visible', 'x', snapshot)],
    ),
    [encoded('changes', 'notified', 'x', '1:1:')],
  ])('is a 400: %s', async (after) => {
    expect(await poll(owner.browser, `after=${after}`)).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ pointer: '/query/after' }] } } },
    });
  });
});

test('a wait without a unit is refused', async () => {
  expect((await poll(owner.browser, 'wait=1')).status).toBe(400);
});
