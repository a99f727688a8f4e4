/** What creating, previewing and activating a pipeline warn of. */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { BASE, cel, path } from '../../support/scene/request-approval-pipelines.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const { owner } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  pipelines: { bot: {} },
});
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());

const PIPELINE = `${BASE}/agents/bot`;
const PATHS = '/api/v1/escalation-paths';
const ENDPOINT = '/api/v1/webhook_endpoints/rules';

const elsewhere = {
  id: 'in',
  field: '/request/arguments/region',
  operator: 'not_in',
  value: ['eu'],
};
const document = {
  blocks: [
    cel('regions', elsewhere, { on_match: 'deny' }),
    { id: 'ask', name: 'Ask', type: 'webhook', config: { endpoint_key: 'rules' } },
  ],
  default_escalation_path: 'on-call',
};
const sample = {
  request: { tool: 'store', arguments: { region: 'us' } },
  agent: { slug: 'bot', name: 'Bot' },
};
const NEGATIVE = {
  code: 'negative_operator_on_optional_field',
  block_id: 'regions',
  condition_id: 'in',
};

const activate = (resource: string, revision: number, expected: number) =>
  owner.http.post(`${resource}/revisions/${revision}/activate`, undefined, {
    headers: { 'if-match': `"${expected}"` },
  });

test('a change and a preview warn, and reads do not', async () => {
  await owner.http.post(PATHS, path('on-call'));
  await owner.http.post(`${ENDPOINT}/revisions`, { name: 'Rules', url: receiver.url });
  const warnings = [
    NEGATIVE,
    { code: 'escalation_path_inactive' },
    { code: 'webhook_endpoint_inactive', block_id: 'ask' },
  ];

  const preview = async () =>
    (await owner.http.post(`${PIPELINE}/preview`, { ...document, sample })).body['warnings'];
  expect(await preview()).toEqual(warnings);
  const created = await owner.http.post(`${PIPELINE}/revisions`, document);
  expect(created).toMatchObject({ status: 201, body: { warnings } });
  const { revision } = created.body as unknown as { revision: number };

  await activate(`${PATHS}/on-call`, 1, 0);
  await activate(ENDPOINT, 1, 0);
  expect(await preview()).toEqual([NEGATIVE]);
  const first = await activate(PIPELINE, revision, revision - 1);
  expect(first).toMatchObject({ status: 200, body: { warnings: [NEGATIVE] } });
  const again = await activate(PIPELINE, revision, revision);
  expect(again).toMatchObject({ status: 200, body: { warnings: [NEGATIVE] } });

  const { body: read } = await owner.http.get(PIPELINE);
  expect(read).toMatchObject({ revision, warnings: [] });
  const { body: list } = await owner.http.get(`${PIPELINE}/revisions`);
  expect(list['revisions']).toMatchObject([{ warnings: [] }, { warnings: [] }]);
});

test('the recipe that names absence, too, has nothing to be warned of', async () => {
  const absent = { id: 'no', field: '/request/arguments/region', operator: 'not_exists' };
  const recipe = { id: 'any', any: [absent, elsewhere] };
  const { status, body } = await owner.http.post(`${PIPELINE}/revisions`, {
    blocks: [cel('regions', recipe, { on_match: 'deny' })],
  });
  expect([status, body['warnings']]).toEqual([201, []]);
});

test('a large document is warned of, too, and its answer is not longer than 100 warnings', async () => {
  const blocks = Array.from({ length: 900 }, (_, index) =>
    cel(
      `b${index}`,
      { ...elsewhere, id: `c${index}`, value: [`${index}${'x'.repeat(200)}`] },
      { on_match: 'deny' },
    ),
  );
  const { status, body } = await owner.http.post(`${PIPELINE}/revisions`, { blocks });
  expect(status).toBe(201);
  expect(body['warnings']).toHaveLength(100);
  const { revision } = body as unknown as { revision: number };
  const activated = await activate(PIPELINE, revision, 2);
  expect(activated.status).toBe(200);
  expect(activated.body['warnings']).toHaveLength(100);
});
