/** Postgres quotes the row in its errors. The log does not: a row may hold the arguments of a call. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { scene } from '../../support/scene.ts';

const { app, agents } = await scene({ pipelines: { bot: {} } });
const SECRET = 'hunter2-correct-horse';

test('a row that Postgres refuses is logged without its values', async () => {
  await app.db.raw(
    `alter table approval_requests add constraint refuses check (tool <> 'refused') not valid`,
  );
  const body = { tool: 'refused', timeout: '1h', arguments: { password: SECRET } };
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await agents.bot.http.post('/api/aap/v1/requests', body, { headers });
  expect(answer.status).toBe(500);
  const log = app.log.join('');
  expect(log).toContain('violates check constraint');
  expect(log).not.toContain(SECRET);
});
