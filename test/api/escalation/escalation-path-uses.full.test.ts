/** What uses an escalation path: rules, defaults and waiting requests, no more than the caller may see. */
import { expect, test } from '@jest/globals';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { activatePipeline } from '../../support/scene/factories.ts';

const READ = 'escalation_path.read';
const { app, owner, agents, ask, decide, person, people } = await scene({
  people: { ada: REVIEWER },
  paths: { refunds: [['ada']], unused: [['ada']] },
  pipelines: { bot: 'refunds', free: {} },
});
const human = {
  ...{ id: 'large', name: 'Large refunds', type: 'always' },
  config: { outcome: 'human', reason: 'Look.', escalation_path: 'refunds' },
};
const branch = {
  ...{ id: 'refund', name: 'Refunds', type: 'branch' },
  config: {
    reason: 'A refund.',
    when: { id: 'c', field: '/request/tool', operator: 'equals', value: 'refund' },
    blocks: [human],
  },
};
await activatePipeline(owner, `agents/${agents.free.slug}`, { blocks: [branch] });
await activatePipeline(owner, 'organization', { blocks: [], default_escalation_path: 'refunds' });
const first = await ask();
await ask();

const usesFor = async (caller: typeof owner, key = 'refunds') =>
  (await caller.http.get(`/api/v1/escalation-paths/${key}/uses`)).body as unknown as {
    uses: { scope: string; agent_slug?: string; block_key?: string; block_name?: string }[];
    truncated: boolean;
    waiting_count: number;
    timeouts?: unknown;
  };
const placesFor = async (caller: typeof owner) =>
  (await usesFor(caller)).uses
    .map(
      ({ agent_slug: slug = 'organization', block_name: block = 'default' }) => `${slug} ${block}`,
    )
    .toSorted();

test('names each block in any branch, each pipeline with this default, and counts who waits', async () => {
  expect(await placesFor(owner)).toEqual(
    [
      `${agents.bot.slug} default`,
      `${agents.free.slug} Large refunds`,
      'organization default',
    ].toSorted(),
  );
  const all = await usesFor(owner);
  expect([all.truncated, all.waiting_count]).toEqual([false, 2]);
  expect(all.uses.find((use) => use.block_key === 'large')).toEqual({
    ...{ pipeline_id: expect.any(String), scope: 'agent', agent_slug: agents.free.slug },
    ...{ revision: 2, block_key: 'large', block_name: 'Large refunds' },
  });
  await decide(people.ada, first);
  expect((await usesFor(owner)).waiting_count).toBe(1);
  expect(await usesFor(owner, 'unused')).toEqual({ uses: [], truncated: false, waiting_count: 0 });
});

test('tells each caller no more than they may see', async () => {
  const none = await person({ policies: [everywhere(READ)] });
  expect(await usesFor(none)).toEqual({ uses: [], truncated: false, waiting_count: 0 });
  const ofBot = { scope_kind: 'agent' as const, resource_ids: [agents.bot.slug] };
  const some = await person({
    policies: [everywhere(READ), { ...ofBot, permissions: ['pipeline.read'] }],
  });
  expect(await placesFor(some)).toEqual([`${agents.bot.slug} default`]);
  // Who may decide for the agent, but is not on the path, does not learn what waits on it.
  const aside = await person({ policies: [everywhere(READ, ...REVIEWER)] });
  expect((await usesFor(aside)).waiting_count).toBe(0);
  const overseer = await person({ policies: [everywhere(READ, 'request.read.unrouted')] });
  expect((await usesFor(overseer)).waiting_count).toBe(1);
});

test('says how long requests of the last 30 days had, those that the caller may see', async () => {
  const { timeouts } = await usesFor(owner);
  expect(timeouts).toEqual({ requests: 2, median: '1h', p95: '1h' });
  for (const timeout of ['30m', '30m', '90s', '4h']) await ask({ timeout });
  expect((await usesFor(owner)).timeouts).toEqual({ requests: 6, median: '30m', p95: '4h' });
  const none = await person({ policies: [everywhere(READ)] });
  expect((await usesFor(none)).timeouts).toBeUndefined();
  await app.db.raw("update approval_requests set created_at = created_at - interval '31 days'");
  expect((await usesFor(owner)).timeouts).toBeUndefined();
});

test('is 404 for a path that is not there', async () => {
  const answer = await owner.http.get('/api/v1/escalation-paths/nowhere/uses');
  expect(answer.status).toBe(404);
});
