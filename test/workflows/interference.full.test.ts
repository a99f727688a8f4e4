/** Whatever an operator does to a request's workflow, the request goes on, and no one is notified twice. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { scene } from '../support/scene.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
} from '../support/scene/factories.ts';
import {
  ask,
  clientOf,
  decide,
  eventsOf,
  handleOf,
  notificationsOf,
  typesOf,
  waiting,
} from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { restartWaiting } from './shapes.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';

const LEVELS = [randomUUID(), randomUUID()] as const;

/** Two levels, an hour each. */
const { app, organization } = await scene({ app: { temporal: true } });
const agent = await createAgent(app, organization);
const policies = [{ scope_kind: 'organization', permissions: ['request.decide'] }] as const;
const people = [
  await createMember(app, organization.id, { policies }),
  await createMember(app, organization.id, { policies }),
];
await activatePath(organization.owner, {
  path_key: 'hourly',
  name: 'Hourly',
  nodes: people.map(({ membershipId }, n) => ({
    id: LEVELS[n],
    type: 'level',
    targets: [{ type: 'user', id: membershipId }],
    escalate_after: '1h',
  })),
});
await activatePipeline(organization.owner, `agents/${agent.slug}`, {
  blocks: [],
  default_escalation_path: 'hourly',
});

/** A request at level 1, and the run that waits for it. */
async function atLevelOne(): Promise<{ id: string; runId: string }> {
  const id = await ask(app, agent);
  await waiting(app, id);
  return { id, runId: (await handleOf(app, id).describe()).runId };
}

async function statusOf(id: string, runId?: string): Promise<string> {
  return (await handleOf(app, id, runId).describe()).status.name;
}

async function notified(id: string): Promise<string[]> {
  return (await notificationsOf(app, id)).map(
    ({ stepKey }) => `level ${LEVELS.findIndex((level) => stepKey.startsWith(level)) + 1}`,
  );
}

/** Level 2 is notified on time, once, and the decision ends the workflow. */
async function goesOn(id: string): Promise<void> {
  expect(await notified(id)).toEqual(['level 1']);
  await fastForward(app, id, 1.5);
  expect(await notified(id)).toEqual(['level 1', 'level 2']);
  await decide(organization.owner, id);
  expect(await handleOf(app, id).result()).toEqual({
    kind: 'done',
    status: 'approved',
    automatic: false,
  });
  expect(await statusOf(id)).toBe('COMPLETED');
  expect((await handleOf(app, id).describe()).searchAttributes).toMatchObject({
    CountersignStatus: ['asked'],
    CountersignPath: ['hourly'],
  });
}

async function newRun(id: string, runId: string): Promise<void> {
  await until('a new run that waits', async () => {
    const description = await handleOf(app, id).describe();
    return description.runId !== runId && typesOf(await eventsOf(app, id)).includes('TimerStarted');
  });
}

describe('a request whose workflow', () => {
  test('is terminated gets another one, and the walk continues from its place', async () => {
    const { id, runId } = await atLevelOne();
    await handleOf(app, id).terminate('by an operator');
    expect(await statusOf(id)).toBe('TERMINATED');
    // Without this the reconciler looks only after the step is overdue.
    await app.db('approval_requests').where({ id }).update({ wake_at: new Date() });
    await newRun(id, runId);
    await goesOn(id);
  });

  test('is started again where it waits is found by its path, and the walk continues', async () => {
    const { id, runId } = await atLevelOne();
    await restartWaiting(app, id);
    expect(await statusOf(id, runId)).toBe('TERMINATED');
    expect(typesOf(await eventsOf(app, id))).not.toContain('MarkerRecorded');
    expect((await handleOf(app, id).describe()).searchAttributes).toMatchObject({
      CountersignStatus: ['asked'],
      CountersignPath: ['hourly'],
    });
    await goesOn(id);
  });

  test('is terminated can be decided at once, before it gets another one', async () => {
    const { id } = await atLevelOne();
    await handleOf(app, id).terminate('by an operator');
    await decide(organization.owner, id, 'denied');
    const row = await app.db('approval_requests').where({ id }).first<{ state: string }>('state');
    expect(row?.state).toBe('denied');
  });

  test('is cancelled in the Temporal UI goes on', async () => {
    const { id, runId } = await atLevelOne();
    await handleOf(app, id).cancel();
    await until('the cancellation', async () =>
      typesOf(await eventsOf(app, id)).includes('WorkflowExecutionCancelRequested'),
    );
    await goesOn(id);
    expect(await statusOf(id, runId)).toBe('COMPLETED');
  });

  test.each([
    ['its first task', 'WorkflowTaskCompleted', 0],
    ['its last task', 'WorkflowTaskCompleted', -1],
  ] as const)('is reset to %s goes on in the new run', async (_name, type, which) => {
    const { id, runId } = await atLevelOne();
    const client = clientOf(app);
    const { namespace } = client.options;
    await handleOf(app, id).signal('changed');
    await until(
      'a second timer',
      async () =>
        typesOf(await eventsOf(app, id)).filter((name) => name === 'TimerStarted').length === 2,
    );
    const events = await eventsOf(app, id);
    const tasks = events.filter((_event, n) => typesOf(events)[n] === type);
    await client.connection.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: handleOf(app, id).workflowId, runId },
      reason: 'by an operator',
      requestId: randomUUID(),
      workflowTaskFinishEventId: tasks.at(which)?.eventId ?? null,
    });
    await newRun(id, runId);
    await goesOn(id);
  });

  test('is reset after its end reads the final answer and ends again', async () => {
    const { id, runId } = await atLevelOne();
    await decide(organization.owner, id);
    await handleOf(app, id).result();
    const client = clientOf(app);
    await client.connection.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: handleOf(app, id).workflowId, runId },
      reason: 'by an operator',
      requestId: randomUUID(),
      workflowTaskFinishEventId: 4 as never,
    });
    await until('the new run', async () => (await handleOf(app, id).describe()).runId !== runId);
    expect(await handleOf(app, id).result()).toEqual({
      kind: 'done',
      status: 'approved',
      automatic: false,
    });
    expect(await notified(id)).toEqual(['level 1']);
  });

  test('is replaced by many reconcilers at once keeps one walk', async () => {
    const { id, runId } = await atLevelOne();
    const subject = {
      id,
      organizationId: organization.id,
      agentSlug: agent.slug,
      tool: 'delete_database',
    };
    const { workflows } = app.context;
    const calls = [true, false, true, false, true, false].map((replace) =>
      workflows.ensure(subject, { replace }),
    );
    await Promise.all([...calls, workflows.start(subject), workflows.signal(id, 'changed')]);
    await newRun(id, runId);
    const query = `WorkflowId = '${handleOf(app, id).workflowId}' and ExecutionStatus = 'Running'`;
    // The server lists runs a moment after it has started or ended them.
    await until(
      'one run is listed',
      async () => (await clientOf(app).workflow.count(query)).count === 1,
    );
    await goesOn(id);
  });

  test('has ended accepts a late signal and a second start without a second walk', async () => {
    const { id } = await atLevelOne();
    await decide(organization.owner, id);
    await handleOf(app, id).result();
    await app.context.workflows.signal(id, 'claim');
    await app.context.workflows.start({
      id,
      organizationId: organization.id,
      agentSlug: agent.slug,
      tool: 'delete_database',
    });
    expect(await handleOf(app, id).result()).toEqual({
      kind: 'done',
      status: 'approved',
      automatic: false,
    });
    expect(await notified(id)).toEqual(['level 1']);
  });

  test('receives fifty signals at once keeps one walk and one run', async () => {
    const { id, runId } = await atLevelOne();
    const handle = handleOf(app, id);
    await Promise.all(Array.from({ length: 50 }, () => handle.signal('changed')));
    await until('all signals received', async () => {
      const types = typesOf(await eventsOf(app, id, runId));
      return (
        types.filter((type) => type === 'WorkflowExecutionSignaled').length === 50 &&
        types.at(-1) === 'TimerStarted'
      );
    });
    await goesOn(id);
    expect(await statusOf(id, runId)).toBe('COMPLETED');
  });

  test('has too long a history continues as new, keeps its attributes, and the walk goes on', async () => {
    const { id, runId } = await atLevelOne();
    const handle = handleOf(app, id);
    // The workflow ignores what a signal carries, except a final answer. The server suggests a new run from 4 MB of history
    // on, not counting the last signals, of which it holds back at most 2 MB during a step.
    const ballast = 'x'.repeat(1_000_000);
    for (let sent = 0; sent < 7; sent += 1) await handle.signal('changed', ballast);
    await newRun(id, runId);
    expect(await statusOf(id, runId)).toBe('CONTINUED_AS_NEW');
    const description = await handleOf(app, id).describe();
    expect(description.searchAttributes).toMatchObject({
      CountersignOrganization: [organization.id],
      CountersignAgent: [agent.slug],
      CountersignTool: ['delete_database'],
      CountersignStatus: ['asked'],
      CountersignPath: ['hourly'],
    });
    await goesOn(id);
  });
});
