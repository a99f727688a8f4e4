/** The example receiver, as a process of its own, answers for a rule. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/local/processes.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { requestOf } from '../support/adapter.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { asking, ASKING } from '../support/servers/asked-endpoint.ts';

const { owner, agents, pipeline } = await scene({
  app: { temporal: true, environment: { ...ASKING, COUNTERSIGN_CREATE_BUDGET: '30s' } },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { bot: {} },
});
const port = await freePort();
const path = '/api/v1/webhook_endpoints/rules/revisions';
const created = await owner.http.post(path, {
  name: 'Refund rules',
  url: `http://127.0.0.1:${port}/`,
});
await owner.http.post(`${path}/1/activate`, undefined, { headers: { 'if-match': '"0"' } });
await pipeline('bot', { blocks: [asking('refunds')], default_escalation_path: 'finance' });

const file = join(packageRoot(), 'examples/webhook-receiver/server.js');
const child = spawn(process.execPath, [file], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { SIGNING_SECRET: String(created.body['signing_secret']), PORT: String(port) },
});
afterAll(async () => {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
});
await once(child.stdout, 'data');

test.each([
  ['refund_payment', 99.5, 'approved', 'Up to 100.'],
  ['refund_payment', 100.5, 'pending', undefined],
  ['refund_payment', null, 'pending', undefined],
  ['send_mail', 1, 'pending', undefined],
])('%s of %p is %s', async (tool, amount, status, note) => {
  const submission = { tool, arguments: { amount }, timeout: '1h' };
  const request = requestOf(await agents.bot.adapter.create(submission));
  expect([request.status, request.decision?.note]).toEqual([status, note]);
});

test('a call that is not signed with its secret is refused', async () => {
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
  expect(status).toBe(401);
});
