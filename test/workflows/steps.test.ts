/** The workflow's loop around scripted steps that fail, wait or end. It ends only with the final answer. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { workflowIdOf } from '../../temporal/ids.ts';
import { WORKFLOW_TYPE, type StepResult } from '../../workflows/approval-request/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { clientOf, eventsOf, handleOf, typesOf, type HistoryEvent } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/time-skipping.ts';
import { workflowBundlePath } from '../support/run/workflow-bundle.ts';

const DONE: StepResult = { kind: 'done', status: 'approved', automatic: false };
const TASK_QUEUE = `steps-${process.pid}`;

let app: TestApp;
let worker: Worker;
let running: Promise<void>;
/** What the n-th step of each request does. */
const scripts = new Map<string, (nth: number) => StepResult | Promise<StepResult>>();
const calls = new Map<string, number>();

beforeAll(async () => {
  app = await startApp({ temporal: true });
  const { connection, options } = clientOf(app);
  worker = await Worker.create({
    connection: connection as NativeConnection,
    namespace: options.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath: workflowBundlePath() },
    activities: {
      stepApprovalRequest: (id: string) => {
        const nth = (calls.get(id) ?? 0) + 1;
        calls.set(id, nth);
        return scripts.get(id)?.(nth);
      },
    },
  });
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await app.close();
});

async function start(
  script: (nth: number) => StepResult | Promise<StepResult>,
  workflowTaskTimeout: '2s' | '10s' = '10s',
): Promise<string> {
  const id = randomUUID();
  scripts.set(id, script);
  await clientOf(app).workflow.start(WORKFLOW_TYPE, {
    taskQueue: TASK_QUEUE,
    workflowId: workflowIdOf(id),
    args: [id],
    workflowTaskTimeout,
  });
  return id;
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
      // A long step heartbeats its workflow task. So the workflow receives the signal before the step ends.
      await until('the signal heard', async () => {
        const types = typesOf(await eventsOf(app, id));
        const heard = types.indexOf('WorkflowExecutionSignaled');
        return heard !== -1 && types.lastIndexOf('WorkflowTaskStarted') > heard;
      });
      return {
        kind: 'wait',
        until: Date.now() + 3_600_000,
        summary: 'an hour',
        details: 'an hour',
        path: 'none',
      };
    };
    place.id = await start(script, '2s');
    expect(await handleOf(app, place.id).result()).toEqual(DONE);
  });

  test('that finds no request ends the workflow', async () => {
    const id = await start(() => ({ kind: 'done', automatic: false }));
    expect(await handleOf(app, id).result()).toEqual({ kind: 'done', automatic: false });
    expect(typesOf(await eventsOf(app, id))).toHaveLength(6);
  });
});
