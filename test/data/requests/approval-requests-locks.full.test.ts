/** Locks of rows that others refer to: who holds one leaves them free to write their own rows. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { lockAgent } from '../../../src/data/agents/agents.ts';
import { escalationPathTables } from '../../../src/data/escalation/escalation-paths.ts';
import { beginAttempt, endAttempt } from '../../../src/data/pipelines/block-results.ts';
import { pipelineTables } from '../../../src/data/pipelines/request-approval-pipelines.ts';
import {
  lockOpenRequests,
  lockRequests,
  lockRequestsClaimedBy,
  lockRequestToRemove,
} from '../../../src/data/requests/engine/lock.ts';
import { lockDocument } from '../../../src/data/revisions.ts';
import { lockPassword } from '../../../src/data/sign-in/passwords.ts';
import type { Trx } from '../../../src/platform/postgres.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { untilBlocked } from '../../support/waiting.ts';

const { app, owner, organization, people, agent, ask, claimed, read } = await scene({
  app: { rules: 'workflow' },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
});
const { db } = app;
const { ada } = people;

const document = (trx: Trx, tables: typeof pipelineTables, documentKey: string) =>
  lockDocument(trx, organization.id, { tables, documentKey });

const locks: Readonly<Record<string, { lock: (trx: Trx) => Promise<unknown>; table: string }>> = {
  'an agent': { lock: (trx) => lockAgent(trx, organization.id, 'bot'), table: 'agents' },
  'a pipeline': {
    lock: (trx) => document(trx, pipelineTables, 'agent:bot'),
    table: 'request_approval_pipelines',
  },
  'an escalation path': {
    lock: (trx) => document(trx, escalationPathTables, 'on-call'),
    table: 'escalation_paths',
  },
  'a person whose password changes': {
    lock: (trx) => lockPassword(trx, ada.userId, 'change'),
    table: 'users',
  },
  'the open requests': {
    lock: (trx) => lockOpenRequests(trx, organization.id),
    table: 'approval_requests',
  },
  'the requests that a member claims': {
    lock: (trx) => lockRequestsClaimedBy(trx, organization.id, ada.membershipId),
    table: 'approval_requests',
  },
};

test.each(Object.entries(locks))('who locks %s leaves its foreign keys free', async (_, held) => {
  await claimed(ada, await ask());
  const blocked = await db.transaction(async (trx) => {
    await held.lock(trx);
    const isFree = async (strength: string) =>
      await db(held.table)
        .whereRaw(`true for ${strength} nowait`)
        .select('created_at')
        .then(
          () => true,
          () => false,
        );
    return [await isFree('key share'), await isFree('share')];
  });
  expect(blocked).toEqual([true, false]);
});

describe('archiving an agent', () => {
  const stateOf = async (id: string) => (await read(id))['status'];
  const archive = async (slug: string) =>
    (await owner.http.delete(`/api/v1/agents/${slug}`)).status;

  test('waits for who holds a request of it and writes the request twice', async () => {
    const { slug, ...bot } = await agent(undefined, {});
    const id = await ask({ agent: { slug, ...bot } });
    const { archived } = await db.transaction(async (trx) => {
      await lockRequests(trx, [id]);
      const archived = archive(slug);
      await untilBlocked(trx);
      // The second write checks the foreign keys again, because the first one made the row.
      for (const urgency of ['interrupt', 'standard'])
        await trx('approval_requests').where({ id }).update({ urgency });
      return { archived };
    });
    expect(await archived).toBe(204);
    expect(await stateOf(id)).toBe('cancelled');
  });

  test('does not wait for who refers to requests of it, in whatever order', async () => {
    const { slug, ...bot } = await agent(undefined, {});
    const ids = [];
    for (let count = 0; count < 2; count += 1) ids.push(await ask({ agent: { slug, ...bot } }));
    const [first = '', second = ''] = ids.sort();
    await db.transaction(async (trx) => {
      // As the messages about several requests do, which one sender records together.
      const refer = async (id: string) =>
        await trx.raw('select from approval_requests where id = :id for key share', { id });
      await refer(second);
      expect(await archive(slug)).toBe(204);
      await refer(first);
    });
    expect([await stateOf(first), await stateOf(second)]).toEqual(['cancelled', 'cancelled']);
  });
});

describe('a cap that removes a request', () => {
  const block = { scope: 'agent', blockId: 'limit' } as const;
  const begin = async (requestId: string) =>
    await beginAttempt(db, {
      ...{ ...block, requestId, contentHash: 'hash', deliveryId: randomUUID() },
      ...{ maxAttempts: 2, leaseMs: 1 },
    });
  const end = async (requestId: string) =>
    await db.transaction((trx) =>
      endAttempt(trx, { ...block, requestId, attempt: 1, pauseMs: 0, result: { outcome: 'next' } }),
    );

  test.each(Object.entries({ begins: begin, ends: end }))(
    'comes before an attempt that %s at that moment',
    async (_, call) => {
      const id = await ask({ evaluated: false });
      expect(await begin(id)).toMatchObject({ attempt: 1 });
      const { late } = await db.transaction(async (trx) => {
        await lockRequestToRemove(trx, id);
        const late = call(id);
        await untilBlocked(trx);
        await trx('approval_requests').where({ id }).delete();
        return { late };
      });
      expect(await late).toBeUndefined();
      expect(await db('pipeline_block_results').where({ request_id: id })).toEqual([]);
    },
  );
});
