/**
 * The final answer travels in the signal that ends the workflow. Whatever is lost on the way, the
 * workflow ends, no other one is started, and nothing stays due.
 */
import { describe, expect, test } from '@jest/globals';
import { findRequest } from '../../src/data/requests/read.ts';
import { decidedByService, unchanged } from '../../src/domain/requests/engine/effects.ts';
import type { ApprovalRequest } from '../../src/domain/requests/approval-requests.ts';
import { announceDecided } from '../../src/services/engine/announce.ts';
import { wakeDue } from '../../src/services/engine/wake-round.ts';
import type { AppContext } from '../../src/services/context.ts';
import type { Workflows } from '../../src/services/ports.ts';
import { changeRequest } from '../../src/services/engine/change.ts';
import { newWorkflowSync } from '../../src/services/engine/workflow-sync.ts';
import { requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventsOf, handleOf, typesOf } from '../support/temporal.ts';
import { askPeople, body, setScene, until } from './scene.ts';
import { appForFile } from '../support/scene.ts';

const app = await appForFile({ temporal: true });
const scene = await setScene(app);
/** Work of another process that cannot reach Temporal, and that ends afterwards. */
async function withoutTemporal<T>(work: (other: TestApp) => Promise<T>): Promise<T> {
  const other = await startApp({ databaseUrl: app.databaseUrl });
  try {
    return await work(other);
  } finally {
    await other.close();
  }
}

/** A request whose workflow waits. No earlier call of the reconciler is left: this one came behind them. */
async function atLevelOne(): Promise<string> {
  const id = await askPeople(scene, app);
  await app.context.workflows.ensure(await requestIn(id), { replace: false });
  await until(
    'its workflow waits',
    async () => typesOf(await eventsOf(app, id)).at(-1) === 'TimerStarted',
  );
  return id;
}

const makeDue = (id: string) =>
  app.db('approval_requests').where({ id }).update({ wake_at: new Date(), wake_attempts: 0 });

async function wakeOf(id: string): Promise<Date | null> {
  const row = await app.db('approval_requests').where({ id }).first<{ at: Date | null }>({
    at: 'wake_at',
  });
  return row.at;
}

const untilCleared = (id: string) =>
  until('nothing is due', async () => (await wakeOf(id)) === null);

async function runOf(id: string): Promise<string> {
  return (await handleOf(app, id).describe()).runId;
}

const steps = async (id: string) =>
  typesOf(await eventsOf(app, id)).filter((type) => type === 'MarkerRecorded').length;

/** Cancelled, with nothing due and nothing announced. */
async function cancelSilently(id: string): Promise<ApprovalRequest> {
  await changeRequest(app.context, {
    id,
    caller: undefined,
    need: { texts: false },
    plan: ({ view, decisionId }) => ({
      effects: decidedByService(unchanged(view), {
        id: decisionId,
        status: 'cancelled',
        wakes: false,
      }),
      outcome: undefined,
    }),
  });
  return await requestIn(id);
}

async function requestIn(id: string): Promise<ApprovalRequest> {
  const read = await findRequest(app.context.db, id);
  if (!read) throw new Error('there is no such request');
  return read.request;
}

/** Announces the answer as a process of its own, and returns whose wake-ups that process will clear. */
async function announce(decided: ApprovalRequest): Promise<string[]> {
  const sent: Promise<boolean>[] = [];
  const { workflows } = app.context;
  const process: AppContext = {
    ...app.context,
    workflowSync: newWorkflowSync(),
    workflows: {
      ...workflows,
      signal: (...call) => {
        const signal = workflows.signal(...call);
        sent.push(signal);
        return signal;
      },
    },
  };
  announceDecided(process, decided, 'cancel');
  expect(sent).toHaveLength(1);
  await Promise.all(sent);
  await new Promise(setImmediate);
  return [...process.workflowSync.finished];
}

/** What happens before this process makes its next such call to Temporal for this request. */
function beforeEnsure(id: string, happens: () => Promise<unknown>): void {
  const { workflows } = app.context;
  const ensure = workflows.ensure.bind(workflows);
  Object.assign(workflows, {
    ensure: async (...call: Parameters<Workflows['ensure']>) => {
      if (call[0].id === id) {
        Object.assign(workflows, { ensure });
        await happens();
      }
      await ensure(...call);
    },
  });
}

describe('a decision', () => {
  test('whose process ended before it could signal ends the workflow without a step', async () => {
    const id = await atLevelOne();
    const [run, before] = [await runOf(id), await steps(id)];
    const decided = await withoutTemporal((other) => scene.decide(id, { url: other.url }));
    expect(decided.status).toBe(200);
    await makeDue(id);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
    await untilCleared(id);
    expect(await runOf(id)).toBe(run);
    expect(await steps(id)).toBe(before);
  });

  test('whose process ended after the signal, before it cleared what was due, starts no workflow', async () => {
    const id = await atLevelOne();
    expect((await scene.decide(id)).status).toBe(200);
    await handleOf(app, id).result();
    await untilCleared(id);
    const [run, events] = [await runOf(id), await eventsOf(app, id)];
    await makeDue(id);
    await wakeDue(app.context);
    await untilCleared(id);
    expect(await runOf(id)).toBe(run);
    expect(await eventsOf(app, id)).toEqual(events);
  });

  test('that no running workflow has been passed is not taken for seen', async () => {
    const [running, gone] = [await atLevelOne(), await atLevelOne()];
    await handleOf(app, gone).terminate('by an operator');
    expect(await announce(await cancelSilently(running))).toEqual([running]);
    expect(await announce(await cancelSilently(gone))).toEqual([]);
    expect(await handleOf(app, running).result()).toMatchObject({ status: 'cancelled' });
    const run = await runOf(gone);
    await makeDue(gone);
    await wakeDue(app.context);
    await untilCleared(gone);
    expect(await runOf(gone)).toBe(run);
  });

  test('made while a lost workflow is started again ends the new one, which begins by waiting', async () => {
    const id = await atLevelOne();
    const run = await runOf(id);
    await handleOf(app, id).terminate('by an operator');
    // Nothing stays due, so only the process that starts the workflow can still pass the answer on.
    beforeEnsure(id, () => cancelSilently(id));
    await app
      .db('approval_requests')
      .where({ id })
      .update({ wake_at: new Date(), wake_attempts: 1 });
    await until('a new run', async () => (await runOf(id)) !== run);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'cancelled' });
    expect(await steps(id)).toBe(0);
  });
});

describe('a start that is lost', () => {
  test('is made up for within seconds, not at the next step', async () => {
    const { id } = await withoutTemporal(async (other) =>
      requestOf(await scene.adapterAt(other.url).create(body('deploy'))),
    );
    // The next step comes after half an hour.
    await until('its workflow waits', async () => {
      const events = await eventsOf(app, id).catch(() => []);
      return typesOf(events).includes('TimerStarted');
    });
  });
});
