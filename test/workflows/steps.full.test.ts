/** The workflow's loop around scripted steps that fail, wait or end. It ends only with the final answer. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { workflowIdOf } from '../../temporal/ids.ts';
import {
  WORKFLOW_TYPE,
  type Beginning,
  type FinalDecision,
  type StepResult,
  type Wait,
} from '../../src/domain/requests/workflow-contract.ts';
import { clientOf, eventsOf, handleOf, typesOf, type HistoryEvent } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';
import { WORKFLOW_BUNDLE } from '../support/run/built.ts';
import { appForFile } from '../support/scene.ts';

const DONE: StepResult = { kind: 'done', status: 'approved', automatic: false };
const DENIED: FinalDecision = { status: 'denied' };
const anHour = (): Wait => ({
  until: Date.now() + 3_600_000,
  summary: 'an hour',
  details: 'an hour',
  path: 'none',
});
const TASK_QUEUE = `steps-${process.pid}`;

/** What the n-th step of each request does. */
const scripts = new Map<string, (nth: number) => StepResult | Promise<StepResult>>();
const calls = new Map<string, number>();

const app = await appForFile({ temporal: true });
const { connection, options } = clientOf(app);
const worker = await Worker.create({
  connection: connection as NativeConnection,
  namespace: options.namespace,
  taskQueue: TASK_QUEUE,
  workflowBundle: { codePath: WORKFLOW_BUNDLE },
  activities: {
    stepApprovalRequest: (id: string) => {
      const nth = (calls.get(id) ?? 0) + 1;
      calls.set(id, nth);
      return scripts.get(id)?.(nth);
    },
  },
});
const running = worker.run();

afterAll(async () => {
  worker.shutdown();
  await running;
});

async function start(
  script: (nth: number) => StepResult | Promise<StepResult>,
  {
    workflowTaskTimeout = '10s',
    beginning = {},
  }: { workflowTaskTimeout?: '2s' | '10s' | '30s'; beginning?: Beginning | null } = {},
): Promise<string> {
  const id = randomUUID();
  scripts.set(id, script);
  await clientOf(app).workflow.start(WORKFLOW_TYPE, {
    taskQueue: TASK_QUEUE,
    workflowId: workflowIdOf(id),
    args: beginning ? [id, beginning] : [id],
    workflowTaskTimeout,
  });
  return id;
}

/**
 * A long step heartbeats its workflow task, when four fifths of the task's timeout are over. So the workflow receives a signal
 * before the step ends. A worker that is late makes the step again.
 */
async function heard(id: string): Promise<void> {
  await until('the signal heard', async () => {
    const types = typesOf(await eventsOf(app, id));
    const signalled = types.indexOf('WorkflowExecutionSignaled');
    return signalled !== -1 && types.lastIndexOf('WorkflowTaskStarted') > signalled;
  });
}

function timersOf(events: readonly HistoryEvent[]): string[] {
  return events.flatMap(({ userMetadata, timerStartedEventAttributes }) =>
    timerStartedEventAttributes
      ? [
          userMetadata?.summary
            ? String(defaultPayloadConverter.fromPayload(userMetadata.summary))
            : '',
        ]
      : [],
  );
}

describe('a step', () => {
  test('that fails without a retry is tried again after a minute, and its error is in the details', async () => {
    const id = await start((nth) => {
      if (nth === 1) throw ApplicationFailure.nonRetryable('a defect');
      return DONE;
    });
    await until('the pause', async () =>
      timersOf(await eventsOf(app, id)).includes('pause after a failed step'),
    );
    const { currentDetails } = await handleOf(app, id).query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toMatch(/a step failed.*within 60 s/);
    await fastForward(app, id, 62 / 3_600);
    expect(await handleOf(app, id).result()).toEqual(DONE);
    expect(calls.get(id)).toBe(2);
  });

  test('that fails without a retry is tried again at the next signal', async () => {
    const id = await start((nth) => {
      if (nth < 3) throw ApplicationFailure.nonRetryable('a defect');
      return DONE;
    });
    for (const pauses of [1, 2]) {
      await until('the pause', async () => timersOf(await eventsOf(app, id)).length === pauses);
      await handleOf(app, id).signal('decision');
    }
    expect(await handleOf(app, id).result()).toEqual(DONE);
    expect(calls.get(id)).toBe(3);
  });

  test('that fails more than ten times does not fail the workflow, which starts another round', async () => {
    const away = { still: true };
    const id = await start(() => {
      if (away.still) throw new Error('the database is away');
      return DONE;
    });
    await until('the first long wait', async () =>
      typesOf(await eventsOf(app, id)).includes('TimerStarted'),
    );
    const tries = () => calls.get(id) ?? 0;
    for (let minutes = 0; minutes < 5 && tries() <= 10; minutes += 1)
      await fastForward(app, id, 1 / 60);
    expect(tries()).toBeGreaterThan(10);
    expect(timersOf(await eventsOf(app, id))).toContain('pause after a failed step');
    away.still = false;
    await fastForward(app, id, 1 / 60);
    expect(await handleOf(app, id).result()).toEqual(DONE);
  });

  test('that fails appears in the log of the service, without noise from the SDK', async () => {
    const id = await start((nth) => {
      if (nth === 1) throw ApplicationFailure.nonRetryable('a defect');
      return DONE;
    });
    const logged = (): string | undefined =>
      app.log.find((line) => line.includes('a step failed') && line.includes(id));
    await until('the log line', () => Promise.resolve(logged() !== undefined));
    expect(JSON.parse(logged() ?? '')).toMatchObject({
      level: 'error',
      component: 'temporal-workflow',
      workflowId: workflowIdOf(id),
    });
    expect(
      app.log.filter((line) =>
        /worker state|Workflow (?:started|completed)|Activity (?:started|completed)/i.test(line),
      ),
    ).toEqual([]);
    await handleOf(app, id).signal('changed');
    await handleOf(app, id).result();
  });

  test('that runs during a signal is followed by another one', async () => {
    const place: { id?: string } = {};
    const script = async (nth: number): Promise<StepResult> => {
      if (nth > 1) return DONE;
      await until('the id', () => Promise.resolve(place.id !== undefined));
      const id = place.id ?? '';
      await handleOf(app, id).signal('decision');
      await heard(id);
      return { kind: 'wait', ...anHour() };
    };
    place.id = await start(script, { workflowTaskTimeout: '2s' });
    expect(await handleOf(app, place.id).result()).toEqual(DONE);
  });

  test('that finds no request ends the workflow', async () => {
    const id = await start(() => ({ kind: 'done', automatic: false }));
    expect(await handleOf(app, id).result()).toEqual({ kind: 'done', automatic: false });
    expect(typesOf(await eventsOf(app, id))).toHaveLength(6);
  });
});

describe('a signal with the final answer', () => {
  const ended = { kind: 'done', status: 'denied', automatic: false };
  const waits = () => start(() => ({ kind: 'wait', ...anHour() }));
  const timer = (id: string) =>
    until('the timer', async () => typesOf(await eventsOf(app, id)).includes('TimerStarted'));

  test.each(['decision', 'cancel', 'changed', 'claim'])(
    'ends a waiting workflow without a step, whatever its name: %s',
    async (name) => {
      const id = await waits();
      await timer(id);
      await handleOf(app, id).signal(name, DENIED);
      expect(await handleOf(app, id).result()).toEqual(ended);
      expect(calls.get(id)).toBe(1);
      expect(typesOf(await eventsOf(app, id)).slice(7)).toEqual([
        'WorkflowExecutionSignaled',
        'WorkflowTaskScheduled',
        'WorkflowTaskStarted',
        'WorkflowTaskCompleted',
        'WorkflowExecutionCompleted',
      ]);
    },
  );

  test('ends a workflow that pauses after a failed step', async () => {
    const id = await start(() => {
      throw ApplicationFailure.nonRetryable('a defect');
    });
    await timer(id);
    await handleOf(app, id).signal('decision', DENIED);
    expect(await handleOf(app, id).result()).toEqual(ended);
    expect(calls.get(id)).toBe(1);
  });

  test('that comes during a step lets the step finish, and no other follows', async () => {
    const place: { id?: string; finished?: true } = {};
    const script = async (): Promise<StepResult> => {
      await until('the id', () => Promise.resolve(place.id !== undefined));
      await handleOf(app, place.id ?? '').signal('decision', DENIED);
      await heard(place.id ?? '');
      place.finished = true;
      return { kind: 'wait', ...anHour() };
    };
    place.id = await start(script, { workflowTaskTimeout: '30s' });
    expect(await handleOf(app, place.id).result()).toEqual(ended);
    expect(place.finished).toBe(true);
    expect(calls.get(place.id)).toBe(1);
    const types = typesOf(await eventsOf(app, place.id));
    expect(types).toContain('MarkerRecorded');
    expect(types).not.toContain('TimerStarted');
  });

  test.each([
    ['no status', {}],
    ['a status that is not final', { status: 'pending' }],
    ['a text', 'approved'],
    ['null', null],
  ])('that carries %s instead only asks for another step', async (_name, carried) => {
    const id = await start((nth) => (nth === 1 ? { kind: 'wait', ...anHour() } : DONE));
    await timer(id);
    await handleOf(app, id).signal('decision', carried);
    expect(await handleOf(app, id).result()).toEqual(DONE);
    expect(calls.get(id)).toBe(2);
  });
});

describe('a run that begins by waiting', () => {
  test('makes its first step when the time has come', async () => {
    const id = await start(() => DONE, { beginning: { wait: anHour() } });
    await until('the timer', async () => timersOf(await eventsOf(app, id)).includes('an hour'));
    expect(calls.get(id)).toBeUndefined();
    await fastForward(app, id, 1.1);
    expect(await handleOf(app, id).result()).toEqual(DONE);
    expect(calls.get(id)).toBe(1);
  });

  test('makes its first step at the first signal', async () => {
    const id = await start(() => DONE, { beginning: { wait: anHour() } });
    await until('the timer', async () => timersOf(await eventsOf(app, id)).includes('an hour'));
    await handleOf(app, id).signal('claim');
    expect(await handleOf(app, id).result()).toEqual(DONE);
    expect(calls.get(id)).toBe(1);
  });

  test('ends without a step at a signal with the final answer', async () => {
    const id = await start(() => DONE, { beginning: { wait: anHour() } });
    await handleOf(app, id).signal('decision', DENIED);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'denied' });
    expect(calls.get(id)).toBeUndefined();
  });
});
