/** The database was restored from a backup that is older than what Temporal has. */
import { expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { handleOf } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';

const { app, ask, routing } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
});
const isAsked = (id: string) =>
  until('a person is asked', async () => (await routing(id))['state'] === 'waiting');

test('the workflow of a request that is gone ends when the service starts, and the others go on', async () => {
  const [gone, kept] = [await ask({ timeout: '168h' }), await ask({ timeout: '168h' })];
  await Promise.all([isAsked(gone), isAsked(kept)]);
  await app.db.transaction(async (trx) => {
    // As if it had never been: without the checks and triggers that keep requests.
    await trx.raw(`set local session_replication_role = replica`);
    await trx('approval_requests').where({ id: gone }).delete();
  });
  const { databaseUrl, taskQueue } = app;
  const restarted = await startApp({ databaseUrl, taskQueue, temporal: true });
  expect(await handleOf(app, gone).result()).toMatchObject({ kind: 'done' });
  expect((await handleOf(app, kept).describe()).status.name).toBe('RUNNING');
  await until('the log says so', () =>
    restarted.log.some((line) => line.includes('older than Temporal')),
  );
  await restarted.close();
});
