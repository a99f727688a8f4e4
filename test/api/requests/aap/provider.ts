/** The real service with one organization, for the suites of the adapter protocol. */
import { randomUUID } from 'node:crypto';
import { Adapter } from '../../../support/adapter.ts';
import { Ledger } from '../../../support/adapter/ledger.ts';
import { startApp, type TestApp } from '../../../support/app.ts';
import {
  activatePipeline,
  createAgent,
  createInstance,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
} from '../../../support/scene/factories.ts';
import type { Json } from '../../../support/http.ts';

export interface Instance extends TestAgent {
  readonly adapter: Adapter;
  /** What the instance has received. Further adapters of it share this. */
  readonly ledger: Ledger;
}

export interface InstanceOptions {
  /** Another instance of this agent; a new agent when absent. */
  readonly agentSlug?: string;
  /** The answer of the new agent's pipeline to every call. A person decides when absent. */
  readonly outcome?: 'approve' | 'deny';
  readonly reason?: string;
}

export interface DecisionAnswer {
  readonly status: number;
  /** The error code, undefined after a success. */
  readonly code: string | undefined;
}

export interface Provider {
  readonly origin: string;
  readonly owner: TestMember;
  /** Another member who may decide. */
  readonly reviewer: TestMember;
  instance(options?: InstanceOptions): Promise<Instance>;
  /** An adapter with a credential of the test, or none. */
  adapter(
    credential: string | undefined,
    options?: { readonly origin?: string; readonly ledger?: Ledger },
  ): Adapter;
  /** A person decides, by default the owner, under a new idempotency key. */
  decide(
    id: string,
    status: 'approved' | 'denied',
    options?: { readonly note?: string; readonly by?: TestMember },
  ): Promise<DecisionAnswer>;
  /** Revokes the instance's credential and returns the status. */
  revoke(instance: Instance): Promise<number>;
  /** The request as reviewers see it. */
  review(id: string): Promise<Json>;
  /** Types of the request's audit events, oldest first. */
  auditEvents(id: string): Promise<string[]>;
  /**
   * The number of requests that wait for people, after the pipeline has finished with all of them.
   */
  pendingCount(): Promise<number>;
  /** The address of a second process of the same deployment. */
  peer(): Promise<string>;
  /** Expires the credential now. */
  expire(instance: Instance): Promise<void>;
  /** Disables the agent or only the instance, as an operator would. */
  disable(instance: Instance, what: 'agent' | 'instance'): Promise<void>;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Default true. Without it no rule runs until the reconciler comes. */
  readonly temporal?: boolean;
}

export async function startProvider({
  environment = {},
  temporal = true,
}: ProviderOptions = {}): Promise<Provider> {
  const app = await startApp({ temporal, environment });
  const organization = await createOrganization(app);
  const { owner } = organization;
  const adapters: Adapter[] = [];
  const peers: TestApp[] = [];
  const adapter: Provider['adapter'] = (credential, { origin = app.url, ledger } = {}) => {
    const made = new Adapter({
      baseUrl: `${origin}/api/aap`,
      credential,
      ...(ledger && { ledger }),
    });
    adapters.push(made);
    return made;
  };
  const policy = {
    scope_kind: 'organization',
    permissions: ['request.decide', 'request.read'],
  } as const;
  const reviewer = await createMember(app, organization.id, { policies: [policy] });
  const decide: Provider['decide'] = async (id, status, { note, by = owner } = {}) => {
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await by.http.post(
      `/api/v1/requests/${id}/decision`,
      { status, note },
      { headers },
    );
    return {
      status: answer.status,
      code: answer.status === 200 ? undefined : String(answer.body['error']?.['code']),
    };
  };
  return {
    origin: app.url,
    owner,
    reviewer,
    adapter,
    decide,
    instance: async ({ agentSlug, outcome, reason } = {}) => {
      const agent: TestAgent =
        agentSlug === undefined
          ? await createAgent(app, organization)
          : { slug: agentSlug, ...(await createInstance(app, organization, agentSlug)) };
      if (outcome !== undefined) {
        const block = { id: 'rule', name: 'The rule', type: 'always', config: { outcome, reason } };
        await activatePipeline(owner, `agents/${agent.slug}`, { blocks: [block] });
      }
      const ledger = new Ledger();
      return { ...agent, ledger, adapter: adapter(agent.credential, { ledger }) };
    },
    revoke: async ({ credentialId }) =>
      (await owner.http.delete(`/api/v1/agent-credentials/${credentialId}`)).status,
    review: async (id) => (await owner.http.get(`/api/v1/requests/${id}`)).body,
    auditEvents: async (id) => {
      const rows = await app
        .db('audit_events')
        .where({ subject_id: id })
        .orderBy('sequence')
        .select<{ event_type: string }[]>('event_type');
      return rows.map((row) => row.event_type);
    },
    expire: async ({ credentialId }) => {
      await app
        .db('agent_credentials')
        .where({ id: credentialId })
        .update({ expires_at: app.db.raw('clock_timestamp()') });
    },
    pendingCount: async () => {
      const count = async (state: string): Promise<number> =>
        (await app.db('approval_requests').where({ state })).length;
      while ((await count('evaluating')) > 0);
      return await count('pending');
    },
    disable: async ({ slug, instanceId }, what) => {
      if (what === 'agent') await app.db('agents').where({ slug }).update({ status: 'disabled' });
      else await app.db('agent_instances').where({ id: instanceId }).update({ status: 'disabled' });
    },
    peer: async () => {
      const peer = await startApp({
        temporal,
        environment,
        databaseUrl: app.databaseUrl,
        taskQueue: app.taskQueue,
      });
      peers.push(peer);
      return peer.url;
    },
    stop: async () => {
      for (const each of adapters) each.close();
      for (const each of peers) await each.close();
      await app.close();
    },
  };
}
