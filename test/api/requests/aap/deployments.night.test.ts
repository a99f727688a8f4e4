/** Deployments: one process without Temporal, and two processes that act as one. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Adapter, errorOf, requestOf } from '../../../support/adapter.ts';
import { Ledger } from '../../../support/adapter/ledger.ts';
import { HttpClient } from '../../../support/http.ts';
import { outcome } from '../../../support/refusals.ts';
import { scene, appForFile } from '../../../support/scene.ts';
import { until } from '../../../support/waiting.ts';
import { always, submission } from './submissions.ts';

/** A create that used up its budget would answer with the verdict, since the reconciler comes earlier. */
const alone = await scene({
  app: { rules: 'workflow', environment: { COUNTERSIGN_CREATE_BUDGET: '30s' } },
  pipelines: { ruled: always('deny', 'never'), bot: {} },
});

describe('while Temporal is away', () => {
  const { app, owner, agents, decide } = alone;
  const { adapter } = agents.ruled;

  test('a create answers 201 pending, and a replay the same', async () => {
    const idempotencyKey = randomUUID();
    const created = await adapter.create(submission(), { idempotencyKey });
    expect([created.status, requestOf(created).status]).toEqual([201, 'pending']);
    const replay = adapter.create(submission(), { idempotencyKey });
    // A replay waits for the verdict, which the reconciler brings.
    await reconcile(requestOf(created).id);
    expect((await replay).status).toBe(200);
  });

  /** The request is long overdue for the reconciler. */
  async function reconcile(id: string): Promise<void> {
    const overdue = app.db.raw(`clock_timestamp() - interval '6 seconds'`);
    await app.db('approval_requests').where({ id }).update({ wake_at: overdue });
  }

  test('no one can approve before a rule that denies has run, and the rule still decides', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    expect(outcome(await decide(owner, id))).toBe('409 request_evaluating');
    await reconcile(id);
    const settled = requestOf(await adapter.get(id, { wait: '30s' }));
    expect(settled).toMatchObject({ status: 'denied', decision: { note: 'never' } });
    expect(outcome(await decide(owner, id))).toBe('409 already_terminal');
  });

  test('a cancel acts at once and ends the wait', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    const waiting = adapter.get(id, { wait: '30s' });
    await until('the wait is parked', () => app.context.changes.waitedFor().includes(id));
    const cancelled = await adapter.cancel(id);
    expect((await waiting).text).toBe(cancelled.text);
    expect(errorOf(await adapter.cancel(randomUUID())).status).toBe(404);
  });

  test('an expiry is recorded without a caller that waits for it, and ends a wait', async () => {
    const unruled = agents.bot.adapter;
    const expiring = async () => requestOf(await unruled.create(submission({ timeout: '"1s"' })));
    const [waited, alone] = [await expiring(), await expiring()];
    // The reconciler's other rounds stay away, so that only the deadline brings the end.
    const ids = [waited.id, alone.id];
    await app.db('approval_requests').whereIn('id', ids).update({ wake_at: null });
    const ended = requestOf(await unruled.get(waited.id, { wait: '30s' }));
    expect(ended.status).toBe('expired');
    const decidedAt = async () =>
      await app
        .db('decisions')
        .where({ request_id: alone.id, status: 'expired' })
        .first<{ decided_at: Date } | undefined>('decided_at');
    await until('the expiry is recorded', async () => (await decidedAt()) !== undefined);
    expect((await decidedAt())?.decided_at.getTime()).toBeGreaterThanOrEqual(
      Date.parse(alone.deadline_at),
    );
  });
});

const whole = await scene({ app: { temporal: true }, pipelines: { bot: {} } });
const peer = await appForFile({
  temporal: true,
  databaseUrl: whole.app.databaseUrl,
  taskQueue: whole.app.taskQueue,
});

describe('two processes of one deployment', () => {
  const { app, owner, decide } = whole;
  const { credential } = whole.agents.bot;
  const ledger = new Ledger();
  const adapterAt = (url: string) => new Adapter({ baseUrl: `${url}/api/aap`, credential, ledger });
  const [here, there] = [adapterAt(app.url), adapterAt(peer.url)];
  const ownerThere = new HttpClient(peer.url, { authorization: `Bearer ${owner.apiKey}` });
  const six = <Result>(round: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 6 }, (_, index) => round(index)));

  test('make one request of six creates under one key', async () => {
    const idempotencyKey = randomUUID();
    const answers = await six((index) =>
      (index % 2 ? here : there).create(submission(), { idempotencyKey }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('answer every wait in one process when the other decides or cancels', async () => {
    const endless = requestOf(await here.create(submission())).id;
    const unanswered = here.get(endless, { wait: '30s' });
    const parked = (id: string) =>
      until('it is parked', () => app.context.changes.waitedFor().includes(id));
    await parked(endless);
    const outcomes = await six(async (index) => {
      const { id } = requestOf(await here.create(submission()));
      const waiting = here.get(id, { wait: '30s' });
      await parked(id);
      if (index % 2) await there.cancel(id);
      else expect((await decide(ownerThere, id)).status).toBe(200);
      return requestOf(await waiting).status === (index % 2 ? 'cancelled' : 'approved');
    });
    expect(outcomes).toEqual(outcomes.map(() => true));
    // A wait that was parked earlier still waits, so none of them has run its full time.
    expect(app.context.changes.waitedFor()).toContain(endless);
    await here.cancel(endless);
    await unanswered;
  });

  test('give one outcome when one cancels while the other decides', async () => {
    await six(async () => {
      const { id } = requestOf(await here.create(submission()));
      const [decided, cancelled] = await Promise.all([
        decide(owner, id, { status: 'denied' }),
        there.cancel(id),
      ]);
      expect([decided.status, cancelled.status].sort()).toEqual([200, 409]);
      const [one, other] = await Promise.all([here.get(id), there.get(id)]);
      expect(one.text).toBe(other.text);
      expect(requestOf(one).status).toBe(decided.status === 200 ? 'denied' : 'cancelled');
    });
  });
});
