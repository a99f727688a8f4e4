/** Anyone may register a client, so a registration is small, and few are kept that no person has let in. */
import { expect, test } from '@jest/globals';
import { MOST_UNUSED_CLIENTS } from '../../../src/domain/oauth/lifetimes.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { oauthOf } from './oauth-scene.ts';

const app = await appForFile();
const register = async (more: Readonly<Record<string, unknown>> = {}) =>
  await app.http.post('/oauth/register', { redirect_uris: ['http://127.0.0.1/callback'], ...more });

test('a registration has at most 2 KiB', async () => {
  expect((await register({ client_name: 'Desk' })).status).toBe(201);
  expect((await register({ ignored: 'x'.repeat(2 * 1024) })).status).toBe(413);
});

test('at the cap, the oldest that no one has let in make room, and others stay', async () => {
  const { db } = app;
  const { owner } = await createOrganization(app);
  const { letIn, register: registered } = oauthOf(app);
  await db('oauth_clients').delete();
  const letInId = await registered({ client_name: 'Let in' });
  await letIn(owner, letInId);
  const insert = async (name: string, count: number, metadata = 'null, null') =>
    await db.raw(
      `insert into oauth_clients (id, name, redirect_uris, metadata_url, fresh_until)
       select gen_random_uuid(), ?, array['http://127.0.0.1/callback'], ${metadata} from generate_series(1, ?)`,
      [name, count],
    );
  await insert('Document', 1, `'https://desk.example/client', clock_timestamp()`);
  await insert('Oldest', 2);
  await db('oauth_clients').update({ seen_at: db.raw(`seen_at - interval '2 hours'`) });
  await insert('Later', MOST_UNUSED_CLIENTS - 2);
  for (let each = 0; each < 2; each += 1)
    expect((await register({ client_name: 'New' })).status).toBe(201);
  const kept = await db('oauth_clients')
    .groupBy('name')
    .select<{ name: string; count: string }[]>('name', db.raw('count(*)'));
  expect(Object.fromEntries(kept.map(({ name, count }) => [name, Number(count)]))).toEqual({
    'Let in': 1,
    Document: 1,
    Later: MOST_UNUSED_CLIENTS - 2,
    New: 2,
  });
});
