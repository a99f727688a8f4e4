/**
 * Workers are killed while they wait for the answer of a webhook endpoint or of a language model: one delivery id, no
 * more calls than attempts, one outcome. The model speaks as Anthropic's do.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { requestOf } from '../support/adapter.ts';
import { killServiceProcesses, startServiceProcess } from '../support/processes/processes.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { asking, ASKING, startAskedEndpoint } from '../support/servers/asked-endpoint.ts';
import {
  bodyOf,
  judgeEnvironment,
  promptOf,
  startJudgeServer,
} from '../support/servers/judge-server.ts';
import { until } from '../support/waiting.ts';

const judge = await startJudgeServer();
const environment = { ...ASKING, ...judgeEnvironment(judge, 'anthropic') };
const { owner, agents, app, timeline, read, pipeline } = await scene({
  app: { temporal: true, worker: false, environment },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { once: {}, twice: {}, judged: {} },
});
const endpoint = await startAskedEndpoint(owner.http);
afterAll(async () => {
  await killServiceProcesses();
  await Promise.all([endpoint.close(), judge.close()]);
});

const startWorker = () =>
  startServiceProcess({ databaseUrl: app.databaseUrl, taskQueue: app.taskQueue, environment });
const submit = async (asker: 'once' | 'twice' | 'judged', note = '') => {
  const call = { tool: 'pay', arguments: { note }, timeout: '1h' };
  return requestOf(await agents[asker].adapter.create(call)).id;
};
const eventsOf = async (id: string, verb: string) =>
  (await timeline(id))
    .filter((event) => event['event_type'] === `approval_request.${verb}`)
    .map((event) => event['data']);
const asked = (id: string) => eventsOf(id, 'block_asked');
const areRouted = async (...ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => eventsOf(id, 'routed')))).every(({ length }) => length === 1);
/** Until a worker is killed, it waits at most this long. A busy machine may take longer to kill it. */
const TIMEOUT = '10s';
const lost = (attempt: number) => [
  { attempt, error_code: expect.stringMatching(/^(attempts_exhausted|timeout)$/) },
];

test('a worker killed in each attempt: asked no more often, answered once', async () => {
  for (const [slug, attempts] of [
    ['once', 1],
    ['twice', 2],
  ] as const) {
    const block = asking('limit', { timeout: TIMEOUT, max_attempts: attempts });
    await pipeline(slug, { blocks: [block] });
  }
  const policy = { id: 'policy', name: 'Policy', type: 'llm_judge', config: { policy: 'Pay.' } };
  await pipeline('judged', { blocks: [{ ...policy, timeout: TIMEOUT, max_attempts: 2 }] });
  const waiting: { readonly note: string; readonly response: ServerResponse }[] = [];
  judge.respondWith((response, call) => {
    const { arguments: given } = JSON.parse(promptOf(call).user) as {
      arguments: { note: string };
    };
    waiting.push({ note: given.note, response });
  });
  const judged = (note: string) => waiting.filter((call) => call.note === note);
  const isJudged = (note: string, times: number) =>
    until(`the model is asked ${times} times`, () => judged(note).length >= times);

  const first = await startWorker();
  const [exhausted, answered, silent, decided, unheard] = await Promise.all([
    submit('once'),
    submit('twice'),
    submit('twice'),
    submit('judged', 'answered'),
    submit('judged', 'silent'),
  ]);
  await Promise.all([exhausted, answered, silent].map((id) => endpoint.called(id, 1)));
  await Promise.all(['answered', 'silent'].map((note) => isJudged(note, 1)));
  await first.kill();

  const second = await startWorker();
  const answer = { outcome: 'approve', confidence: 0.9, reason: 'It may.' };
  // Each at once, within its time. To the dead worker as well: that answer reaches no one.
  await Promise.all([
    endpoint.called(answered, 2).then(() => {
      endpoint.reply(answered, { outcome: 'approve' });
    }),
    isJudged('answered', 2).then(() => {
      for (const { response } of judged('answered'))
        response.end(bodyOf('/v1/messages', { reply: answer }));
    }),
    endpoint.called(silent, 2),
    isJudged('silent', 2),
  ]);
  await until('the answers count', async () =>
    (await Promise.all([answered, decided].map(read))).every(({ status }) => status === 'approved'),
  );
  await second.kill();

  await startWorker();
  await until('people are asked', () => areRouted(exhausted, silent, unheard));
  expect(endpoint.callsOf(exhausted)).toHaveLength(1);
  for (const id of [answered, silent]) {
    const payloads = endpoint.callsOf(id);
    expect(payloads.map((payload) => payload['attempt'])).toEqual([1, 2]);
    expect(new Set(payloads.map((payload) => payload['id'])).size).toBe(1);
  }
  expect(await asked(answered)).toMatchObject([{ attempt: 2, outcome: 'approve' }]);
  expect(await asked(exhausted)).toMatchObject(lost(1));
  expect(await asked(silent)).toMatchObject(lost(2));

  expect(judge.asked.map(({ path }) => path)).toEqual(Array(4).fill('/v1/messages'));
  expect([judged('answered').length, judged('silent').length]).toEqual([2, 2]);
  expect(await asked(decided)).toMatchObject([{ attempt: 2, outcome: 'approve' }]);
  expect(await asked(unheard)).toMatchObject(lost(2));
  expect(await eventsOf(decided, 'judged')).toMatchObject([{ model: 'judge-small', ...answer }]);
  const assessmentsOf = async (id: string) =>
    (await owner.http.get(`/api/v1/requests/${id}/assessments`)).body['assessments'];
  const cost = { input_tokens: 100, output_tokens: 20, amount: '0.000065', currency: 'USD' };
  expect(await assessmentsOf(decided)).toMatchObject([{ model: 'judge-small', ...answer, cost }]);
  expect([await eventsOf(unheard, 'judged'), await assessmentsOf(unheard)]).toEqual([[], []]);
});
