/** What the queue says about a call besides the call: identical calls, a recent denial, and whether the answer can still be read. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import type { Json } from '../../../support/http.ts';

const { app, agent, people, ask, decide, owner, read } = await scene({
  people: { ada: REVIEWER },
  pipelines: {},
});
const { ada } = people;

const inList = async (id: string, view = '') => {
  const { body } = await ada.http.get(`/api/v1/requests?limit=200${view}`);
  return (body as unknown as { requests: Json[] }).requests.find((each) => each['id'] === id);
};
/** As the list, its summaries and the detail say it. */
const marksOf = async (id: string) => {
  const shown = [await inList(id), await inList(id, '&view=summary'), await read(id)];
  const [marks, ...others] = shown.map((each) => ({
    state: each?.['requester_state'],
    identical: each?.['identical_pending'],
    denied: each?.['last_denied_at'],
  }));
  for (const other of others) expect(other).toEqual(marks);
  return marks;
};

let asker: Awaited<ReturnType<typeof agent>>;
beforeEach(async () => {
  asker = await agent(undefined, {});
});
const call = async (what: object = {}) =>
  await ask({ agent: asker, tool: 'refund', server: 'billing', arguments: { id: 1 }, ...what });

describe('identical calls', () => {
  test('are counted, and others are not', async () => {
    const ids = [await call(), await call(), await call()];
    const other = await agent(undefined, {});
    for (const different of [{ tool: 'refunds' }, { server: 'other' }, { arguments: { id: 2 } }]) {
      expect((await marksOf(await call(different)))?.identical).toBe(1);
    }
    expect((await marksOf(await call({ agent: other })))?.identical).toBe(1);
    for (const id of ids) expect((await marksOf(id))?.identical).toBe(3);
    await decide(ada, ids[0] ?? '', { status: 'approved' });
    expect((await marksOf(ids[1] ?? ''))?.identical).toBe(2);
    // The decided one does not wait itself.
    expect((await read(ids[0] ?? ''))['identical_pending']).toBe(2);
  });

  test('the changes of a queue say it, too', async () => {
    const { body } = await ada.http.get('/api/v1/requests/changes?scope=visible');
    const [first] = [await call(), await call()];
    const after = encodeURIComponent(String(body['cursor']));
    const { body: changes } = await ada.http.get(
      `/api/v1/requests/changes?scope=visible&after=${after}`,
    );
    const changed = (changes as unknown as { changed: Json[] }).changed;
    expect(changed.find(({ id }) => id === first)).toMatchObject({ identical_pending: 2 });
  });
});

describe('a denial', () => {
  test('is named for an hour at the next identical call, and at no other', async () => {
    const denied = await call();
    await decide(ada, denied, { status: 'denied' });
    const { decision } = await read(denied);
    const again = await call();
    expect((await marksOf(again))?.denied).toBe((decision as unknown as Json)['decided_at']);
    expect((await marksOf(await call({ arguments: { id: 2 } })))?.denied).toBeUndefined();
    expect((await marksOf(denied))?.denied).toBeUndefined();
    await app.db.raw(
      `update approval_requests set updated_at = updated_at - interval '61 minutes' where id = ?`,
      [denied],
    );
    expect((await marksOf(again))?.denied).toBeUndefined();
  });

  test('that was an approval is none', async () => {
    await decide(ada, await call(), { status: 'approved' });
    expect((await marksOf(await call()))?.denied).toBeUndefined();
  });
});

describe('the requester', () => {
  const instance = () => `/api/v1/agent_instances/${asker.instanceId}`;
  const stateOf = async (id: string) => (await marksOf(id))?.state;

  test('reads the decision as long as any credential of its instance lives', async () => {
    const id = await call();
    expect(await stateOf(id)).toBe('active');
    const credentials = () =>
      app.db('agent_credentials').where({ agent_instance_id: asker.instanceId });
    const [first] = await credentials().select();
    await app.db('agent_credentials').insert({ ...(first as object), id: randomUUID() });
    const { id: firstId } = first as { id: string };
    expect((await owner.http.delete(`/api/v1/agent-credentials/${firstId}`)).status).toBe(204);
    expect(await stateOf(id)).toBe('active');
    await credentials().update({ expires_at: new Date() });
    expect(await stateOf(id)).toBe('credential_ended');
  });

  test('is disabled, or archived', async () => {
    const id = await call();
    const patch = async (path: string, status: string) => {
      expect((await owner.http.call('PATCH', path, { body: { status } })).status).toBe(200);
    };
    await patch(instance(), 'disabled');
    expect(await stateOf(id)).toBe('instance_disabled');
    await patch(`/api/v1/agents/${asker.slug}`, 'disabled');
    expect(await stateOf(id)).toBe('agent_disabled');
    await owner.http.delete(`/api/v1/agents/${asker.slug}`);
    expect((await read(id))['requester_state']).toBe('agent_archived');
  });
});
