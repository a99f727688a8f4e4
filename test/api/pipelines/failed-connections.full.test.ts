/** Why a connection of a block failed: in the preview, the stored result, the timeline and the log. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { requestOf } from '../../support/adapter.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { BASE } from '../../support/scene/request-approval-pipelines.ts';
import { FAILING_PEERS } from '../../support/servers/failing-peers.ts';
import { judgeEnvironment } from '../../support/servers/judge-server.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const ENDPOINTS = '/api/v1/webhook_endpoints';
const CAUSES = Object.keys(FAILING_PEERS) as (keyof typeof FAILING_PEERS)[];
const CODES = { dns: 'egress_denied', timeout: 'timeout' } as const;
const codeOf = (cause: string) => ({ ...CODES })[cause as 'dns'] ?? 'connection_failed';

const { owner, agents, app, timeline, pipeline } = await scene({
  app: {
    temporal: true,
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_CREATE_BUDGET: '30s',
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function failing(cause: keyof typeof FAILING_PEERS): Promise<string> {
  const peer = await FAILING_PEERS[cause]();
  closing.push(() => peer.close());
  return peer.url;
}

const sample = { request: { tool: 'refund', arguments: {} }, agent: { slug: 'bot', name: 'Bot' } };

/** An endpoint whose active revision has this URL. Saving would refuse a name that does not resolve. */
async function endpointAt(url: string): Promise<string> {
  const key = `at-${randomUUID()}`;
  const path = `${ENDPOINTS}/${key}/revisions`;
  await owner.http.post(path, { name: 'Rules', url: receiver.url });
  await app.db.raw(
    `with first as (select r.* from webhook_endpoint_revisions r join webhook_endpoints e on e.id = r.webhook_endpoint_id
                     where e.document_key = :key),
          second as (insert into webhook_endpoint_revisions (id, webhook_endpoint_id, revision, document, created_by_actor_id, created_at)
                     select :id, webhook_endpoint_id, 2, cast(:document as json), created_by_actor_id, created_at from first)
     update webhook_endpoints set latest_revision = 2 where document_key = :key`,
    { key, id: randomUUID(), document: JSON.stringify({ name: 'Rules', url }) },
  );
  const headers = { 'if-match': '"0"' };
  const activated = await owner.http.post(`${path}/2/activate`, undefined, { headers });
  if (activated.status !== 200) throw new Error(activated.text);
  return key;
}

/** Long, unless the time is what fails: a busy machine may take seconds to see a connection fail. */
const timeoutFor = (cause: string) => (cause === 'timeout' ? '1s' : '30s');
const asks = (endpoint_key: string, cause: string) => ({
  blocks: [
    {
      ...{ id: 'ask', name: 'Ask', type: 'webhook', timeout: timeoutFor(cause) },
      config: { endpoint_key },
    },
  ],
});

const since = ({ log }: TestApp, lines: number, message: string) =>
  log
    .slice(lines)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === message);

describe.each(CAUSES)('a connection to an endpoint that fails (%s)', (cause) => {
  const told = { error_code: codeOf(cause), error_cause: cause };

  test('says so in a preview and in the log', async () => {
    const key = await endpointAt(await failing(cause));
    const lines = app.log.length;
    const { body } = await owner.http.post(`${BASE}/agents/bot/preview`, {
      ...asks(key, cause),
      sample,
    });
    expect(body).toMatchObject({ reason_code: 'block_error', blocks: [told] });
    expect(since(app, lines, 'a webhook endpoint gave no valid answer')).toEqual([
      expect.objectContaining({ endpoint: key, errorCode: told.error_code, errorCause: cause }),
    ]);
  });

  test('says so in the stored result of the block, the timeline and the log; the agent’s object stays as it is', async () => {
    const key = await endpointAt(await failing(cause));
    await pipeline('bot', asks(key, cause));
    const lines = app.log.length;
    // The adapter refuses every member that the protocol does not know.
    const { id, status } = requestOf(
      await agents.bot.adapter.create({ tool: 'refund', arguments: {}, timeout: '1h' }),
    );
    expect(status).toBe('pending');
    expect(
      await app
        .db('pipeline_block_results')
        .where({ request_id: id })
        .select('error_code', 'error_cause'),
    ).toEqual([told]);
    expect((await timeline(id)).map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ block_id: 'ask', ...told }),
    );
    expect(since(app, lines, 'a webhook endpoint gave no valid answer')).toEqual([
      expect.objectContaining({ approvalRequest: id, endpoint: key, errorCause: cause }),
    ]);
  });
});

test.each(CAUSES)(
  'a judge that cannot be reached (%s) says so in a preview and in the log',
  async (cause) => {
    const url = await failing(cause);
    const environment = { ...judgeEnvironment({ url: () => url }), ...LOOPBACK_ALLOWED };
    const judging = await startApp({ environment });
    closing.push(() => judging.close());
    const { owner: judge } = await createOrganization(judging);
    const block = { id: 'policy', name: 'Policy', type: 'llm_judge', timeout: timeoutFor(cause) };
    const { body } = await judge.http.post(`${BASE}/organization/preview`, {
      blocks: [{ ...block, config: { policy: 'Refunds may pass.' } }],
      sample,
    });
    expect(body['blocks']).toEqual([
      expect.objectContaining({
        error_code: cause === 'timeout' ? 'timeout' : 'judge_unavailable',
        error_cause: cause,
      }),
    ]);
    expect(since(judging, 0, 'the language model could not be asked')).toEqual([
      expect.objectContaining({ errorCause: cause }),
    ]);
  },
);
