/**
 * The cap on pending requests: exact under concurrency, and only for requests that wait for people.
 */
import { describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../../support/app.ts';
import { appForFile } from '../../../support/scene.ts';
import { ask, postRequest, stepAt } from '../../../support/scene/approval-requests.ts';
import {
  activatePipeline,
  createAgent,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../../support/scene/factories.ts';

const CAP = 3;

const rule = (id: string, outcome: 'approve' | 'deny') => ({
  id,
  name: id,
  type: 'cel',
  config: {
    when: { id: `tool-${id}`, field: '/request/tool', operator: 'equals', value: id },
    on_match: outcome,
    reason: id,
  },
});

/** A separate organization, so that its pending requests start at none. */
async function newTenant(
  app: TestApp,
): Promise<{ organization: TestOrganization; agent: TestAgent }> {
  const organization = await createOrganization(app);
  // One agent may take all of it.
  await app
    .db('organizations')
    .where({ id: organization.id })
    .update({ agent_pending_percent: 100 });
  const agent = await createAgent(app, organization);
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [rule('allow', 'approve'), rule('refuse', 'deny')],
  });
  return { organization, agent };
}

async function pendingIds(app: TestApp, organization: TestOrganization): Promise<string[]> {
  return await app
    .db('approval_requests')
    .where({ organization_id: organization.id, state: 'pending' })
    .pluck<string[]>('id');
}

/** Without a worker the rules do not run. */
const idle = await appForFile({
  temporal: true,
  worker: false,
  rules: 'workflow',
  environment: {
    COUNTERSIGN_MAX_PENDING_REQUESTS: String(CAP),
    COUNTERSIGN_CREATE_BUDGET: '1s',
  },
});

describe('when the pipeline takes longer than the create budget', () => {
  const app = idle;

  test('a request answered 201 before its verdict is admitted over the cap', async () => {
    const { organization, agent } = await newTenant(app);
    const started = Date.now();
    const asked = await Promise.all(Array.from({ length: CAP + 2 }, () => postRequest(app, agent)));
    // By the other clock, a timer may fire slightly early.
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 201));
    const ids = asked.map(({ body }) => String(body['id']));
    expect(await pendingIds(app, organization)).toEqual([]);
    for (const id of ids) await stepAt(app, id);
    expect((await pendingIds(app, organization)).sort()).toEqual([...ids].sort());
  });

  test('without Temporal the answer comes at once, and the request is admitted too', async () => {
    const environment = { COUNTERSIGN_MAX_PENDING_REQUESTS: String(CAP) };
    const away = await startApp({ rules: 'workflow', environment });
    try {
      const { organization, agent } = await newTenant(away);
      const ids: string[] = [];
      for (let n = 0; n < CAP + 2; n += 1) ids.push(await ask(away, agent));
      expect((await pendingIds(away, organization)).sort()).toEqual([...ids].sort());
    } finally {
      await away.close();
    }
  });
});
