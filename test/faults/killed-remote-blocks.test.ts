/**
 * Workers are killed while they wait for the answer of a webhook endpoint: one delivery id, no more
 * calls than attempts, one outcome.
 */
import { afterAll, expect, test } from '@jest/globals';
import { requestOf } from '../support/adapter.ts';
import { killServiceProcesses, startServiceProcess } from '../support/processes/processes.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { asking, ASKING, startAskedEndpoint } from '../support/servers/asked-endpoint.ts';
import { until } from '../support/waiting.ts';

const { owner, agents, app, timeline, read, pipeline } = await scene({
  app: { temporal: true, worker: false, environment: ASKING },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { once: {}, twice: {} },
});
const endpoint = await startAskedEndpoint(owner.http);
afterAll(async () => {
  await killServiceProcesses();
  await endpoint.close();
});

const startWorker = () =>
  startServiceProcess({
    databaseUrl: app.databaseUrl,
    taskQueue: app.taskQueue,
    environment: ASKING,
  });
const submit = async (asker: 'once' | 'twice') =>
  requestOf(await agents[asker].adapter.create({ tool: 'pay', arguments: {}, timeout: '1h' })).id;
const asked = async (id: string) =>
  (await timeline(id))
    .filter((event) => event['event_type'] === 'approval_request.block_asked')
    .map((event) => event['data']);
const isRouted = async (id: string) =>
  (await timeline(id)).some((event) => event['event_type'] === 'approval_request.routed');

test('a worker killed in each attempt: asked no more often, answered once', async () => {
  for (const [slug, attempts] of [
    ['once', 1],
    ['twice', 2],
  ] as const) {
    const block = asking('limit', { timeout: '1s', max_attempts: attempts });
    await pipeline(slug, { blocks: [block] });
  }
  const first = await startWorker();
  const [exhausted, answered, silent] = await Promise.all([
    submit('once'),
    submit('twice'),
    submit('twice'),
  ]);
  await Promise.all([exhausted, answered, silent].map((id) => endpoint.called(id, 1)));
  await first.kill();

  const second = await startWorker();
  await Promise.all([answered, silent].map((id) => endpoint.called(id, 2)));
  // To the dead worker as well: that answer reaches no one.
  endpoint.answer(answered, { outcome: 'approve' });
  await until('the answer counts', async () => (await read(answered))['status'] === 'approved');
  await second.kill();

  await startWorker();
  await until(
    'people are asked',
    async () => (await isRouted(exhausted)) && (await isRouted(silent)),
  );
  expect(endpoint.callsOf(exhausted)).toHaveLength(1);
  for (const id of [answered, silent]) {
    const payloads = endpoint.callsOf(id);
    expect(payloads.map((payload) => payload['attempt'])).toEqual([1, 2]);
    expect(new Set(payloads.map((payload) => payload['id'])).size).toBe(1);
  }
  expect(await asked(answered)).toMatchObject([{ attempt: 2, outcome: 'approve' }]);
  expect(await asked(exhausted)).toMatchObject([{ attempt: 1, error_code: 'attempts_exhausted' }]);
  expect(await asked(silent)).toMatchObject([{ attempt: 2, error_code: 'attempts_exhausted' }]);
});
