/**
 * Inline rules: a request that they decide is one statement and has no workflow. All else is as
 * with rules in workflows.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { wakeDue } from '../../../src/services/engine/wake-round.ts';
import { requestOf } from '../../support/adapter.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { through } from '../../support/gates.ts';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { ask as askOf, postRequest } from '../../support/scene/approval-requests.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { storedOf } from '../../support/sql/stored-requests.ts';
import { handleOf } from '../../support/temporal.ts';
import { until } from '../../support/waiting.ts';
import { always } from './aap/submissions.ts';

const { app, agents, agent, pipeline, decide, verbsOf, people } = await scene({
  app: { rules: 'door', temporal: true },
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada'], ['bob']] },
  pipelines: {
    approved: always('approve', 'small enough'),
    denied: always('deny', 'never'),
    asked: 'on-call',
    unrouted: {},
  },
});

/** Another process of the deployment, with rules in workflows, whose steps the tests make. */
let stepwise: TestApp;
beforeAll(async () => {
  stepwise = await startApp({ rules: 'workflow', databaseUrl: app.databaseUrl });
});
afterAll(() => stepwise.close());

const statusOf = async (slug: keyof typeof agents) => {
  const { status, body } = await postRequest(app, agents[slug]);
  expect(status).toBe(201);
  return { id: String(body['id']), status: String(body['status']) };
};

describe('a request that rules decide inline', () => {
  test('is one statement, with its answer and its timeline', async () => {
    await statusOf('approved');
    const statements = await statementsDuring(app, async () => {
      expect(await statusOf('approved')).toMatchObject({ status: 'approved' });
    });
    // The first one authenticates.
    expect(statements).toHaveLength(2);
  });

  test.each(['approved', 'denied'] as const)(
    'has no workflow, and nothing left to do: %s',
    async (slug) => {
      const { id, status } = await statusOf(slug);
      expect(status).toBe(slug);
      expect(await verbsOf(id)).toEqual(['created', slug]);
      const [row] = await app.db('approval_requests').where({ id });
      expect(row).toMatchObject({ wake_at: null, next_at: null });
      await expect(handleOf(app, id).describe()).rejects.toMatchObject({
        name: 'WorkflowNotFoundError',
      });
    },
  );

  test('counts like any other', async () => {
    const count = async (name: string) =>
      (await app.context.metrics[name as 'requestsCreated' | 'requestsDecided'].get()).values
        .map(({ value }) => value)
        .reduce((sum, value) => sum + value, 0);
    const before = [await count('requestsCreated'), await count('requestsDecided')];
    await statusOf('approved');
    expect([await count('requestsCreated'), await count('requestsDecided')]).toEqual(
      before.map((each) => each + 1),
    );
  });

  test('is one request for one key, however many calls use it', async () => {
    const { adapter } = agents.approved;
    const idempotencyKey = randomUUID();
    const submission = { tool: 'deploy', arguments: { count: 1 }, timeout: '1h' };
    const calls = Array.from({ length: 8 }, () => adapter.create(submission, { idempotencyKey }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const other = await adapter.create({ ...submission, tool: 'drop' }, { idempotencyKey });
    expect(other.status).toBe(409);
  });
});

describe.each(['before', 'within'] as const)(
  'rules that change %s the statement of a request they would decide',
  (at) => {
    test('are the ones that decide it, or new ones', async () => {
      const changing = await agent(undefined, always('approve', 'old'));
      await postRequest(app, changing);
      const gate = {
        of:
          at === 'before' ? 'unchanged as materialized' : 'from organizations o, access_turn where',
        at,
        happens: () => pipeline(changing.slug, always('deny', 'new')),
      };
      const { status, body } = await through(app, gate, () => postRequest(app, changing));
      // A statement that has begun sees the rules as they were.
      expect([status, body['decision']?.['note']]).toEqual([201, at === 'before' ? 'new' : 'old']);
      expect((await postRequest(app, changing)).body['status']).toBe('denied');
      const statements = await statementsDuring(app, () => postRequest(app, changing));
      expect(statements).toHaveLength(2);
    });
  },
);

describe('what is stored', () => {
  test.each(['approved', 'denied', 'asked', 'unrouted'] as const)(
    'is the same with rules in workflows: %s',
    async (slug) => {
      const { id } = await statusOf(slug);
      const other = await askOf(stepwise, agents[slug]);
      const [here, there] = [await storedOf(app, id), await storedOf(app, other)];
      // Without Temporal, the other process answered before the verdict.
      const comparable = ({ row, wakesAfter: _, ...stored }: typeof here) => ({
        ...stored,
        row: { ...(row as object), admitted: undefined },
      });
      expect(comparable(here)).toEqual(comparable(there));
    },
  );
});

describe('a request that waits for a person', () => {
  const wakeOf = async (id: string) => {
    const [row] = await app
      .db('approval_requests')
      .where({ id })
      .select<{ wake_at: Date | null; next_at: Date; routed_at: Date }[]>();
    return row;
  };

  test('gets a workflow that begins with the wait, and its wake-up is put off', async () => {
    const { id } = await statusOf('asked');
    await until('the workflow was started, and the wake-up put off', async () => {
      await wakeDue(app.context);
      const row = await wakeOf(id);
      return Number(row?.wake_at) > Number(row?.next_at);
    });
    const description = await handleOf(app, id).describe();
    expect(description.status.name).toBe('RUNNING');
    expect(await verbsOf(id)).toEqual([
      'created',
      'pipeline_concluded',
      'routed',
      'level_notified',
    ]);
  });

  test('wakes the reconciler soon if its workflow does not start', async () => {
    const alone = await startApp({ rules: 'door', databaseUrl: app.databaseUrl });
    try {
      const { body } = await postRequest(alone, agents.asked);
      const row = await wakeOf(String(body['id']));
      expect(Number(row?.wake_at) - Number(row?.routed_at)).toBe(3_000);
    } finally {
      await alone.close();
    }
  });

  test('that is decided at once leaves no workflow and nothing to do', async () => {
    const { id } = await statusOf('asked');
    expect(outcome(await decide(people.ada, id))).toBe('200');
    await until('nothing is left to do', async () => {
      await wakeDue(app.context);
      return (await wakeOf(id))?.wake_at === null;
    });
    await until('no workflow is running', async () => {
      const described = handleOf(app, id).describe();
      const status = await described.then(
        (each) => each.status.name,
        () => 'NONE',
      );
      return status !== 'RUNNING';
    });
    expect(requestOf(await agents.asked.adapter.get(id)).status).toBe('approved');
  });
});
