/** One agent may take a share of the cap on pending requests, so that it cannot keep the others out. */
import { describe, expect, test } from '@jest/globals';
import { appForFile, REVIEWER, scene } from '../../../support/scene.ts';
import { postRequest } from '../../../support/scene/approval-requests.ts';
import type { TestAgent } from '../../../support/scene/factories.ts';

const CAP = 8;
const app = await appForFile({
  temporal: true,
  environment: {
    COUNTERSIGN_MAX_PENDING_REQUESTS: String(CAP),
    // A create that uses up its budget is admitted over the cap.
    COUNTERSIGN_CREATE_BUDGET: '30s',
  },
});
const newScene = () =>
  scene({ on: app, people: { ada: REVIEWER }, pipelines: { greedy: {}, modest: {} } });

const atOnce = async (agent: TestAgent, count: number) => {
  const answers = await Promise.all(Array.from({ length: count }, () => postRequest(app, agent)));
  const dimension = ({ body }: (typeof answers)[number]) => body['error']?.['details'];
  return {
    admitted: answers.filter(({ status }) => status === 201).length,
    refusals: answers.filter(({ status }) => status === 429).map(dimension),
  };
};
const refusalsOf = (count: number, details: object) => Array.from({ length: count }, () => details);

describe('an agent', () => {
  test('gets a quarter of the cap by default, and leaves the rest to others', async () => {
    const { agents, owner } = await newScene();
    const { greedy, modest } = agents;
    expect(await atOnce(greedy, 6)).toEqual({
      admitted: 2,
      refusals: refusalsOf(4, {
        ...{ dimension: 'agent_pending_requests', limit: 2, used: 2 },
        agent_slug: greedy.slug,
      }),
    });
    expect((await atOnce(modest, 1)).admitted).toBe(1);
    // An answer makes room for one more.
    const { body } = await owner.http.get(`/api/v1/requests?agent_slug=${greedy.slug}`);
    const [waiting] = (body as unknown as { requests: { id: string }[] }).requests;
    await owner.http.post(
      `/api/v1/requests/${waiting?.id}/decision`,
      { status: 'denied' },
      { headers: { 'idempotency-key': 'makes-room' } },
    );
    expect((await atOnce(greedy, 2)).admitted).toBe(1);
  });

  test('gets what its organization sets, and the cap of the organization counts first', async () => {
    const { agents, owner } = await newScene();
    const change = async (share: number, revision: number) =>
      await owner.browser.call('PATCH', '/api/v1/organization', {
        body: { settings: { agent_pending_share: share } },
        headers: { 'if-match': `"${revision}"` },
      });
    expect((await change(0.5, 1)).status).toBe(200);
    expect((await atOnce(agents.greedy, 5)).admitted).toBe(4);
    expect((await change(1, 2)).status).toBe(200);
    expect(await atOnce(agents.modest, 6)).toEqual({
      admitted: 4,
      refusals: refusalsOf(2, {
        ...{ dimension: 'pending_requests', limit: CAP, used: CAP },
        agent_slug: agents.modest.slug,
      }),
    });
  });

  test('gets at least one request, however small the share', async () => {
    const { agents, settings } = await newScene();
    await settings({ agent_pending_percent: 1 });
    const { admitted, refusals } = await atOnce(agents.greedy, 3);
    expect([admitted, refusals.length]).toEqual([1, 2]);
  });
});
