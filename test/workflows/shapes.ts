/** The shapes a request's history can have. Tests and the recording run them on real servers. */
import { randomUUID } from 'node:crypto';
import { findRequest } from '../../src/data/requests/read.ts';
import { stepRequest } from '../../src/services/engine/step.ts';
import type { TestApp } from '../support/app.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../support/scene/factories.ts';
import {
  asking,
  startAskedEndpoint,
  type AskedEndpoint,
} from '../support/servers/asked-endpoint.ts';
import { hurryPath } from '../support/scene/hurried-paths.ts';
import {
  ask,
  cancel,
  decide,
  eventsOf,
  handleOf,
  notificationsOf,
  typesOf,
  waiting,
  type HistoryEvent,
} from '../support/temporal.ts';
import { until } from '../support/waiting.ts';

export const PATH_KEY = 'seconds';

export interface Stage {
  readonly app: TestApp;
  readonly organization: TestOrganization;
  /** Its pipeline approves the tool `refund`. Other tools go to a path of three levels. */
  readonly routed: TestAgent;
  /** Its path has the same levels, of which the first two wait a second. */
  readonly hurried: TestAgent;
  /** Its rules ask an endpoint twice, then the path of three levels. */
  readonly asking: TestAgent;
  readonly endpoint: AskedEndpoint;
  /** All its requests go to people, without a path. */
  readonly unrouted: TestAgent;
  readonly people: readonly TestMember[];
}

export async function setStage(app: TestApp): Promise<Stage> {
  const organization = await createOrganization(app);
  const routed = await createAgent(app, organization, 'billing-agent');
  const unrouted = await createAgent(app, organization, 'free-agent');
  const policies = [
    { scope_kind: 'organization', permissions: ['request.read', 'request.decide'] },
  ] as const;
  const people: TestMember[] = [];
  for (const displayName of ['Ada', 'Ben', 'Cleo'])
    people.push(await createMember(app, organization.id, { policies, displayName }));
  const hurried = await createAgent(app, organization, 'hurried-agent');
  const refunds = { id: 'tool', field: '/request/tool', operator: 'equals', value: 'refund' };
  for (const [agent, pathKey] of [
    [routed, PATH_KEY],
    [hurried, 'hurried'],
  ] as const) {
    await activatePath(organization.owner, {
      path_key: pathKey,
      name: 'Seconds',
      nodes: people.map(({ membershipId }, n) => ({
        id: randomUUID(),
        type: 'level',
        targets: [{ type: 'user', id: membershipId }],
        escalate_after: n === 2 ? '1h' : '1m',
      })),
    });
    await activatePipeline(organization.owner, `agents/${agent.slug}`, {
      blocks: [
        {
          id: 'refunds',
          name: 'Refunds',
          type: 'cel',
          config: { when: refunds, on_match: 'approve', reason: 'refunds are fine' },
        },
      ],
      default_escalation_path: pathKey,
    });
  }
  const endpoint = await startAskedEndpoint(organization.owner.http);
  const asks = await createAgent(app, organization, 'asking-agent');
  await activatePipeline(organization.owner, `agents/${asks.slug}`, {
    blocks: [asking('first'), asking('second')],
    default_escalation_path: PATH_KEY,
  });
  await hurryPath(app, { organizationId: organization.id, pathKey: 'hurried', wait: '1s' });
  return { app, organization, routed, hurried, unrouted, asking: asks, endpoint, people };
}

/** Each runs one request to its end and returns its id. */
export const SHAPES = {
  automatic: async ({ app, routed }) => {
    const id = await ask(app, routed, { tool: 'refund' });
    return await endOf(app, id);
  },
  'asked-another-system': async ({ app, asking: agent, endpoint, people }) => {
    const id = await ask(app, agent);
    await endpoint.called(id, 1);
    endpoint.reply(id, { outcome: 'next' });
    await endpoint.called(id, 2);
    endpoint.reply(id, { outcome: 'human' });
    await levelReached(app, id, 1);
    if (people[0]) await decide(people[0], id);
    return await endOf(app, id);
  },
  'decided-at-level-1': async ({ app, routed, people }) => {
    const id = await ask(app, routed);
    await levelReached(app, id, 1);
    if (people[0]) await decide(people[0], id);
    return await endOf(app, id);
  },
  'decided-at-level-3': async ({ app, hurried, people }) => {
    const id = await ask(app, hurried);
    await levelReached(app, id, 3);
    if (people[2]) await decide(people[2], id, 'denied');
    return await endOf(app, id);
  },
  unrouted: async ({ app, unrouted, people }) => {
    const id = await ask(app, unrouted);
    await waiting(app, id);
    if (people[0]) await decide(people[0], id);
    return await endOf(app, id);
  },
  expired: async ({ app, unrouted }) => {
    const id = await ask(app, unrouted, { timeout: '1s' });
    return await endOf(app, id);
  },
  restarted: async ({ app, routed, people }) => {
    const id = await ask(app, routed);
    await levelReached(app, id, 1);
    await restartWaiting(app, id);
    if (people[0]) await decide(people[0], id);
    return await endOf(app, id);
  },
  cancelled: async ({ app, routed }) => {
    const id = await ask(app, routed);
    await levelReached(app, id, 1);
    await cancel(app, routed, id);
    return await endOf(app, id);
  },
} satisfies Readonly<Record<string, (stage: Stage) => Promise<string>>>;

export type Shape = keyof typeof SHAPES;

/** As when the workflow was lost: the reconciler makes a step, and the new run waits from there. */
export async function restartWaiting(app: TestApp, id: string): Promise<void> {
  const { runId } = await handleOf(app, id).describe();
  const request = (await findRequest(app.context.db, id))?.request;
  const step = await stepRequest(app.context, id, { floor: new Date(0), by: 'reconciler' });
  if (!request || step.kind !== 'wait') throw new Error('the request does not wait');
  await app.context.workflows.ensure(request, { replace: true, wait: step });
  await until('a new run', async () => (await handleOf(app, id).describe()).runId !== runId);
  await waiting(app, id);
}

async function levelReached(app: TestApp, requestId: string, level: number): Promise<void> {
  await until(
    `level ${level}`,
    async () => (await notificationsOf(app, requestId)).length === level,
  );
  await until('its timer', async () => timers(await eventsOf(app, requestId)) >= level);
}

async function endOf(app: TestApp, requestId: string): Promise<string> {
  await handleOf(app, requestId).result();
  return requestId;
}

function timers(events: readonly HistoryEvent[]): number {
  return typesOf(events).filter((type) => type === 'TimerStarted').length;
}
