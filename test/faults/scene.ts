/**
 * The scene of the fault tests: an organization whose rules approve `refund`, and whose two people
 * are asked about the rest.
 */
import { randomUUID } from 'node:crypto';
import { Adapter, requestOf } from '../support/adapter.ts';
import { Ledger } from '../support/adapter/ledger.ts';
import type { TestApp } from '../support/app.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
} from '../support/scene/factories.ts';
import type { TestAgent, TestMember, TestOrganization } from '../support/scene/factories.ts';
import { HttpClient, type ApiResponse } from '../support/http.ts';
import { until } from '../support/waiting.ts';

export { until };

export interface Scene {
  readonly organization: TestOrganization;
  readonly agent: TestAgent;
  readonly reviewer: TestMember;
  /** Membership ids of everyone a level asks. */
  readonly people: readonly string[];
  /** Through the app of the scene. */
  readonly adapter: Adapter;
  /** Through another process. Both adapters share what either of them received. */
  adapterAt(url: string): Adapter;
  /**
   * Decides through the app of the scene, or another process. Repeats with the same key are the
   * same decision.
   */
  decide(
    id: string,
    options?: { readonly key?: string; readonly url?: string },
  ): Promise<ApiResponse>;
}

export async function setScene(app: TestApp): Promise<Scene> {
  const organization = await createOrganization(app);
  const [agent, reviewer] = await Promise.all([
    createAgent(app, organization),
    createMember(app, organization.id, {
      policies: [{ scope_kind: 'organization', permissions: ['request.decide', 'request.read'] }],
    }),
  ]);
  const level = () => ({
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'broadcast' }],
    escalate_after: '30m',
  });
  await activatePath(organization.owner, {
    path_key: 'on-call',
    name: 'On call',
    working_hours: [],
    nodes: [level(), level()],
  });
  const when = { id: 'tool', field: '/request/tool', operator: 'equals', value: 'refund' };
  const refunds = {
    id: 'refunds',
    name: 'Refunds',
    type: 'cel',
    config: { when, on_match: 'approve', reason: 'small' },
  };
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [refunds],
    default_escalation_path: 'on-call',
  });
  const ledger = new Ledger();
  const adapterAt = (url: string) =>
    new Adapter({ baseUrl: `${url}/api/aap`, credential: agent.credential, ledger });
  return {
    organization,
    agent,
    reviewer,
    people: [organization.owner.membershipId, reviewer.membershipId],
    adapter: adapterAt(app.url),
    adapterAt,
    decide: async (id, { key = randomUUID(), url = app.url } = {}) => {
      const client = new HttpClient(url, { authorization: `Bearer ${reviewer.apiKey}` });
      return await client.post(
        `/api/v1/requests/${id}/decision`,
        { status: 'approved' },
        { headers: { 'idempotency-key': key } },
      );
    },
  };
}

/** The body of a request: `refund` is approved by the rule, everything else goes to people. */
export function body(tool: 'refund' | 'deploy', timeout = '1h') {
  return { tool, arguments: { amount: 12.5 }, timeout };
}

export async function askPeople(scene: Scene, app: TestApp, timeout?: string): Promise<string> {
  const { id } = requestOf(await scene.adapter.create(body('deploy', timeout)));
  await until('handed to people', async () => (await stateOf(app, id)) === 'pending');
  return id;
}

export async function stateOf(app: TestApp, id: string): Promise<string | undefined> {
  return (
    await app.db('approval_requests').where({ id }).first<{ state: string } | undefined>('state')
  )?.state;
}

/** Waits until the work for a request with a final answer is done: its workflow has seen it. */
export async function untilSettled(app: TestApp, timeoutMs?: number): Promise<void> {
  const open = app
    .db('approval_requests')
    .whereNotNull('wake_at')
    .whereNotIn('state', ['evaluating', 'pending']);
  await until(
    'every workflow has seen the final answer',
    async () => (await open.clone().select('id')).length === 0,
    timeoutMs,
  );
}

/** The final status an adapter gets. It asks again whenever a wait times out. */
export async function finalStatus(adapter: Adapter, id: string): Promise<string> {
  let status = 'pending';
  await until(`${id} has its final answer`, async () => {
    ({ status } = requestOf(await adapter.get(id, { wait: '15s' })));
    return status !== 'pending';
  });
  return status;
}
