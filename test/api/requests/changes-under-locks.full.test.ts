/** Changes of requests whose locks are taken first: no second connection, no rules, and nothing left out. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { stepRequest } from '../../../src/services/engine/step.ts';
import type { Trx } from '../../../src/platform/postgres.ts';
import { beforeStatementOfTransaction } from '../../support/gates.ts';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { ASKING, asking, startAskedEndpoint } from '../../support/servers/asked-endpoint.ts';
import { untilBlocked } from '../../support/waiting.ts';

const { app, organization, owner, agent, person, ...verbs } = await scene({
  app: { environment: { ...ASKING, COUNTERSIGN_DATABASE_POOL: '4' } },
  pipelines: { bot: {} },
});
const { ask, claimed, decide, holdersOf, read, suspend } = verbs;
const endpoint = await startAskedEndpoint(owner.http);
afterAll(() => endpoint.close());

/** As a change of someone's access does. It ends after `work`. */
async function whileAccessIsLocked<T>(work: (trx: Trx) => Promise<{ readonly calls: T }>) {
  return await app.db.transaction(async (trx) => {
    await trx.raw('select from organizations where id = ? for no key update', [organization.id]);
    return await work(trx);
  });
}

test('decisions that all wait for a change of access need one connection each', async () => {
  const bob = await person(REVIEWER);
  const id = await ask();
  const { calls } = await whileAccessIsLocked(async (trx) => {
    const deciding = Array.from({ length: 30 }, () => decide(bob, id));
    await untilBlocked(trx, 3);
    return { calls: deciding };
  });
  const answers = (await Promise.all(calls)).map(outcome).toSorted();
  expect(answers).toEqual(['200', ...Array.from({ length: 29 }, () => '409 already_terminal')]);
});

test('a step that finds a system to ask waits for a change of access', async () => {
  const asker = await agent(undefined, { blocks: [asking('limit')] });
  const id = await ask({ agent: asker, evaluated: false });
  // So the step looks at the cap, which depends on the organization.
  await app.db('approval_requests').where({ id }).update({ admitted: false });
  const { calls } = await whileAccessIsLocked(async (trx) => {
    const stepping = stepRequest(app.context, id, { floor: new Date(0), by: 'workflow' });
    await Promise.race([stepping, untilBlocked(trx)]);
    return { calls: [stepping] };
  });
  expect(await Promise.all(calls)).toMatchObject([{ kind: 'remote', block: { id: 'limit' } }]);
});

/** Longer than a plan is good for. */
const stall = { of: 'planned as materialized', happens: () => delay(2_100) };

test('a process that stalls while it archives an agent leaves no request open', async () => {
  const ending = await agent();
  const id = await ask({ agent: ending });
  const archived = await beforeStatementOfTransaction(app, stall, () =>
    owner.browser.delete(`/api/v1/agents/${ending.slug}`),
  );
  expect(archived.status).toBe(204);
  expect(await read(id)).toMatchObject({ status: 'cancelled' });
});

test('a process that stalls while it suspends a member leaves none of their claims', async () => {
  const holder = await person(REVIEWER);
  const id = await ask();
  await claimed(holder, id);
  const suspended = await beforeStatementOfTransaction(app, stall, () => suspend(holder));
  expect(suspended.status).toBe(200);
  expect(await holdersOf(id)).toEqual([]);
});
