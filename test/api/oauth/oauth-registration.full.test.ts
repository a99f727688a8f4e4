/** Anyone may register a client, so a registration is small, and few are kept that no person has let in. */
import { expect, test } from '@jest/globals';
import { MOST_UNUSED_CLIENTS } from '../../../src/domain/oauth/lifetimes.ts';
import { appForFile } from '../../support/scene.ts';

const app = await appForFile();
const register = async (more: Readonly<Record<string, unknown>> = {}) =>
  await app.http.post('/oauth/register', { redirect_uris: ['http://127.0.0.1/callback'], ...more });

test('a registration has at most 2 KiB', async () => {
  expect((await register({ client_name: 'Desk' })).status).toBe(201);
  expect((await register({ ignored: 'x'.repeat(2 * 1024) })).status).toBe(413);
});

test('above the cap no further one is kept, until some are let in or forgotten', async () => {
  await app.db.raw(
    `insert into oauth_clients (id, name, redirect_uris)
     select gen_random_uuid(), 'Desk', array['http://127.0.0.1/callback'] from generate_series(1, ?)`,
    [MOST_UNUSED_CLIENTS],
  );
  const full = await register();
  expect([full.status, full.headers['retry-after']]).toEqual([429, '600']);
  await app.db.raw('delete from oauth_clients where id in (select id from oauth_clients limit 2)');
  expect((await register()).status).toBe(201);
});
