/** How many requests of the last days ended at each block of a pipeline. */
import { beforeAll, expect, test } from '@jest/globals';
import { requestOf } from '../../support/adapter.ts';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import { always, BASE, cel, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';

const { app, owner, agents, decide, pipeline, person } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']] },
  pipelines: { bot: {}, other: {} },
});

const tool = (value: string) => ({
  ...{ id: `tool-${value}`, field: '/request/tool', operator: 'equals', value },
});
const create = async (agent: keyof typeof agents, name: string) =>
  requestOf(await agents[agent].adapter.create({ tool: name, arguments: {}, timeout: '1h' }));
const count = (base: string, { http }: TestMember = owner) => http.get(`${base}/concluding_blocks`);
const ofBot = `${BASE}/agents/bot`;

beforeAll(async () => {
  await pipeline('organization', { blocks: [cel('no', tool('drop'), { on_match: 'deny' })] });
  await pipeline('bot', {
    blocks: [
      cel('small', tool('refund')),
      {
        ...always('shell'),
        type: 'branch',
        config: { when: tool('run'), reason: 'r', blocks: [cel('safe', tool('nothing'))] },
      },
      cel('ask', tool('transfer'), { on_match: 'human', escalation_path: 'finance' }),
    ],
  });
  for (const each of ['drop', 'refund', 'refund', 'run', 'transfer', 'else'])
    await create('bot', each);
  await create('other', 'drop');
});

test('requests count at the block that decided them or handed them to people, in its own pipeline', async () => {
  expect((await count(ofBot)).body).toEqual({
    requests: 6,
    from_at: expect.any(String),
    blocks: [
      { block_id: 'small', requests: 2 },
      { block_id: 'ask', requests: 1 },
      { block_id: 'shell', requests: 1 },
    ],
  });
  expect((await count(ORGANIZATION)).body).toMatchObject({
    requests: 7,
    blocks: [{ block_id: 'no', requests: 2 }],
  });
});

test('what people decide later, and other revisions, change no count', async () => {
  const { id } = await create('bot', 'transfer');
  await decide(owner, id);
  await pipeline('bot', { blocks: [] });
  await create('bot', 'refund');
  expect((await count(ofBot)).body).toMatchObject({
    requests: 8,
    blocks: [
      { block_id: 'ask', requests: 2 },
      { block_id: 'small', requests: 2 },
      { block_id: 'shell', requests: 1 },
    ],
  });
});

test('only requests of the last 7 days count, and only those that the caller may see', async () => {
  const reader = await person(['pipeline.read', 'request.read']);
  // Requests on the path finance are not theirs to see.
  expect((await count(ofBot, reader)).body).toMatchObject({
    requests: 6,
    blocks: [
      { block_id: 'small', requests: 2 },
      { block_id: 'shell', requests: 1 },
    ],
  });
  await app
    .db('approval_requests')
    .where({ agent_slug: 'bot', tool: 'run' })
    .update({ created_at: app.db.raw("created_at - interval '8 days'") });
  expect((await count(ofBot)).body).toMatchObject({
    requests: 7,
    blocks: [{ block_id: 'ask' }, { block_id: 'small' }],
  });
});

test('it takes pipeline.read and request.read at the same scope', async () => {
  const writer = await person(['pipeline.read']);
  expect(outcome(await count(ofBot, writer))).toBe('403 permission_denied');
  const reader = await person(['request.read']);
  expect(outcome(await count(ofBot, reader))).toBe('403 permission_denied');
  expect(outcome(await count(`${BASE}/agents/no-one`))).toBe('404 not_found');
});
