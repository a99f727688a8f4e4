/** Callers who used up their minute of threads: only calls that could need threads wait. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  CALLER_BUDGET_MS,
  ORGANIZATION_BUDGET_MS,
} from '../../../src/platform/threads/work-time.ts';
import { outcome } from '../../support/refusals.ts';
import { scene } from '../../support/scene.ts';
import { adapterOf, postRequest } from '../../support/scene/approval-requests.ts';
import { createInstance, createMember, type TestMember } from '../../support/scene/factories.ts';

const { app, organization, agent: addAgent } = await scene({ pipelines: { bot: {} } });
const { time } = app.context.workerPool;

const PREVIEW = '/api/v1/escalation-paths/preview';
const level = {
  id: randomUUID(),
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '5m',
};
const document = { name: 'Nights', nodes: [level] };
const preview = ({ http }: TestMember) => http.post(PREVIEW, { document });
const large = { list: Array.from({ length: 20_000 }, (_, index) => index) };

let member: TestMember;
beforeEach(async () => {
  member = await createMember(app, organization.id, {
    policies: [{ scope_kind: 'organization', permissions: ['escalation_path.read'] }],
  });
});

describe('a caller who used up their minute of threads', () => {
  test('waits with documents, as Retry-After says, and goes on with everything else', async () => {
    expect((await preview(member)).status).toBe(200);
    time.spend(member.membershipId, CALLER_BUDGET_MS * 1.5);
    const refused = await preview(member);
    expect(outcome(refused)).toBe('429 rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30);
    expect((await member.http.get('/api/v1/me')).status).toBe(200);
    const other = await createMember(app, organization.id, {
      policies: [{ scope_kind: 'organization', permissions: ['escalation_path.read'] }],
    });
    expect((await preview(other)).status).toBe(200);
  });

  test('waits with large arguments, and still asks for approval of usual ones', async () => {
    const agent = await addAgent();
    expect((await postRequest(app, agent, { arguments: large })).status).toBe(201);
    time.spend(agent.credentialId, CALLER_BUDGET_MS * 1.5);
    expect(outcome(await postRequest(app, agent, { arguments: large }))).toBe('429 rate_limited');
    expect((await postRequest(app, agent)).status).toBe(201);
    const sibling = await createInstance(app, organization, agent.slug);
    expect((await postRequest(app, sibling, { arguments: large })).status).toBe(201);
    expect((await adapterOf(app, agent).get('/api/aap/v1/requests/none')).status).toBe(404);
  });
});

test('an organization that used up its minute waits as a whole', async () => {
  expect((await preview(member)).status).toBe(200);
  for (let index = 0; index < 10; index += 1) {
    const spender = await createMember(app, organization.id);
    time.secondsToWait(spender.membershipId, organization.id);
    time.spend(spender.membershipId, ORGANIZATION_BUDGET_MS / 5);
  }
  expect(outcome(await preview(member))).toBe('429 rate_limited');
  expect((await member.http.get('/api/v1/me')).status).toBe(200);
});
