/** Attempts of blocks that ask other systems: counted once each, and one result. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  beginAttempt,
  endAttempt,
  findAskingState,
  findProgress,
} from '../../../src/data/pipelines/block-results.ts';
import { asStored, type RemoteResult } from '../../../src/domain/pipelines/remote.ts';
import { stepRequest } from '../../../src/services/engine/step.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';
import { through } from '../../support/gates.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { asking, ASKING, startAskedEndpoint } from '../../support/servers/asked-endpoint.ts';

const { app, owner, ask, read, pipeline, withdraw, reachDeadline } = await scene({
  app: { environment: ASKING, rules: 'workflow' },
  pipelines: { bot: {} },
});
const { db } = app;
const ref = { scope: 'agent', blockId: 'limit' } as const;

const waiting = async () => await ask({ evaluated: false });
const begin = async (requestId: string, over: object = {}) =>
  await beginAttempt(db, {
    ...ref,
    requestId,
    contentHash: 'hash',
    deliveryId: randomUUID(),
    maxAttempts: 2,
    leaseMs: 60_000,
    ...over,
  });
const end = async (requestId: string, attempt: number, result?: RemoteResult, over: object = {}) =>
  await db.transaction((trx) =>
    endAttempt(trx, {
      ...ref,
      requestId,
      attempt,
      pauseMs: 0,
      ...(result && { result }),
      ...over,
    }),
  );
const endLease = async (requestId: string) => {
  await db('pipeline_block_results')
    .where({ request_id: requestId })
    .update({ leased_until: new Date(0) });
};

describe('an attempt', () => {
  test('begins once, however many begin it at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await waiting();
      const begun = await Promise.all(Array.from({ length: 5 }, () => begin(id)));
      expect(begun.filter(Boolean)).toHaveLength(1);
      await endLease(id);
      const again = await Promise.all(Array.from({ length: 5 }, () => begin(id)));
      const deliveries = [...begun, ...again].flatMap((each) => (each ? [each.deliveryId] : []));
      expect(deliveries).toHaveLength(2);
      expect(new Set(deliveries).size).toBe(1);
      await endLease(id);
      expect(await begin(id)).toBeUndefined();
      expect(await findAskingState(db, id, ref)).toMatchObject({
        attempt: 2,
        hasResult: false,
        leasedMs: 0,
      });
    }
  });

  test('waits for the one under way, and says how long', async () => {
    const id = await waiting();
    await begin(id);
    expect(await begin(id)).toBeUndefined();
    const { leasedMs = 0 } = (await findAskingState(db, id, ref)) ?? {};
    expect(leasedMs).toBeGreaterThan(30_000);
    expect(leasedMs).toBeLessThanOrEqual(60_000);
  });

  test('follows at once one that ended without a result', async () => {
    const id = await waiting();
    expect(await begin(id)).toMatchObject({ attempt: 1 });
    await end(id, 1);
    expect(await begin(id)).toMatchObject({ attempt: 2 });
  });

  test('does not begin for a request with its final answer, or past its deadline', async () => {
    const cancelled = await waiting();
    await withdraw(cancelled);
    expect(await begin(cancelled)).toBeUndefined();
    expect(await findAskingState(db, cancelled, ref)).toBeUndefined();
    const late = await waiting();
    await reachDeadline(late);
    expect(await begin(late)).toBeUndefined();
  });

  test('puts the look of the reconciler behind its end', async () => {
    const id = await waiting();
    await begin(id);
    const row = await db('approval_requests').where({ id }).first<{ wake_at: Date }>('wake_at');
    const leased = await db('pipeline_block_results')
      .where({ request_id: id })
      .first<{ leased_until: Date }>('leased_until');
    expect(row.wake_at.getTime()).toBeGreaterThan(leased.leased_until.getTime());
  });
});

describe('a result', () => {
  test('is the first of two answers, whichever attempt gave it', async () => {
    const id = await waiting();
    await begin(id);
    await endLease(id);
    await begin(id);
    expect(await end(id, 1, { outcome: 'deny', reason: 'First.' })).toBeInstanceOf(Date);
    expect(await end(id, 2, { outcome: 'approve' })).toBeUndefined();
    expect((await findProgress(db, id))?.last).toEqual({
      ...ref,
      result: { outcome: 'deny', reason: 'First.' },
    });
    expect(await begin(id)).toBeUndefined();
  });

  test('is the answer of the second attempt when the first one failed late', async () => {
    const id = await waiting();
    await begin(id);
    await endLease(id);
    await begin(id);
    expect(await end(id, 1, { errorCode: 'timeout' })).toBeUndefined();
    await end(id, 2, { outcome: 'approve' });
    expect((await findProgress(db, id))?.last).toEqual({
      ...ref,
      result: { outcome: 'approve' },
    });
  });

  test('is one of all that come at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await waiting();
      await begin(id);
      const written = await Promise.all(
        (['approve', 'deny', 'human', 'next'] as const).map((outcome) => end(id, 1, { outcome })),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
    }
  });

  test('reads like the one that its call goes on with', async () => {
    const cost = { input_tokens: 900, output_tokens: 20 };
    const metadata = new JsonText('{"n":1.0}');
    const results: RemoteResult[] = [
      { outcome: 'human', reason: 'Large.', escalationPath: 'finance', metadata, cost },
      { outcome: 'approve', reason: '' },
      { errorCode: 'timeout', cost },
    ];
    for (const result of results) {
      const id = await waiting();
      await begin(id);
      await end(id, 1, result);
      expect((await findProgress(db, id))?.last).toEqual({ ...ref, result: asStored(result) });
    }
  });

  test('does not come after the final answer', async () => {
    const id = await waiting();
    await begin(id);
    await withdraw(id);
    expect(await end(id, 1, { outcome: 'approve' })).toBeUndefined();
    expect(await findProgress(db, id)).toBeUndefined();
  });

  test('is the last asked of several, and brings its metadata with every digit', async () => {
    const id = await waiting();
    await begin(id);
    const metadata = new JsonText('{"n":1.0,"big":9007199254740993}');
    const previousMetadata = new JsonText(`{"organization":{},"agent":{"limit":${metadata.text}}}`);
    await end(id, 1, { outcome: 'next', metadata }, { previousMetadata });
    await begin(id, { blockId: 'second' });
    expect(await findProgress(db, id)).toMatchObject({ last: { blockId: 'limit' } });
    await end(id, 1, { errorCode: 'timeout' }, { blockId: 'second' });
    const progress = await findProgress(db, id);
    expect(progress?.last).toEqual({
      scope: 'agent',
      blockId: 'second',
      result: { errorCode: 'timeout' },
    });
    expect(progress?.previousMetadata?.text).toBe(previousMetadata.text);
  });
});

test('a step sees the metadata of the result that came while it read', async () => {
  const flagged = {
    id: 'risky',
    name: 'Risky',
    type: 'cel',
    config: {
      when: {
        id: 'risk',
        field: '/previous_metadata/agent/limit/risk',
        operator: 'greater_than',
        value: 5,
      },
      on_match: 'deny',
      reason: 'Too risky.',
    },
  };
  const yes = {
    id: 'yes',
    name: 'Yes',
    type: 'always',
    config: { outcome: 'approve', reason: 'Fine.' },
  };
  await startAskedEndpoint(owner.http).then((endpoint) => endpoint.close());
  await pipeline('bot', { blocks: [asking('limit'), flagged, yes] });
  const id = await waiting();
  await begin(id);
  const metadata = new JsonText('{"risk":9}');
  const previousMetadata = new JsonText('{"organization":{},"agent":{"limit":{"risk":9}}}');
  await through(
    app,
    {
      of: 'from pipeline_block_results',
      at: 'before',
      happens: () => end(id, 1, { outcome: 'next', metadata }, { previousMetadata }),
    },
    () => stepRequest(app.context, id, { floor: new Date(0), by: 'reconciler' }),
  );
  expect((await read(id))['status']).toBe('denied');
});
