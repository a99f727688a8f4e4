/** Changes of access and what shares it get their turns in the order in which they came. */
import { expect, test } from '@jest/globals';
import {
  lockAccess,
  lockAccessShared,
  lockAccessUnchanged,
  triesAccessTurn,
} from '../../../src/data/organization/organizations.ts';
import { lockAgainstWithdrawals } from '../../../src/data/requests/withdrawn-keys.ts';
import type { Trx } from '../../../src/platform/postgres.ts';
import { queryOne } from '../../../src/platform/rows.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { untilBlocked } from '../../support/waiting.ts';

const { app, organization, people, agent, ask, decide } = await scene({
  app: { rules: 'door' },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
});
const { db } = app;
const bot = await agent(undefined, {});

/** Takes a lock and lets it go. */
const take = async (lock: (trx: Trx) => Promise<unknown>): Promise<void> => {
  await db.transaction(async (trx) => {
    await lock(trx);
  });
};
const change = async () => {
  await take((trx) => lockAccess(trx, organization.id));
};

const later: Readonly<Record<string, () => Promise<unknown>>> = {
  'takes access shared': () => take((trx) => lockAccessShared(trx, organization.id)),
  'holds up withdrawals': () =>
    take((trx) =>
      lockAgainstWithdrawals(trx, {
        organizationId: organization.id,
        agentSlug: bot.slug,
        instanceId: bot.instanceId,
      }),
    ),
  'counts within the organization': () => take((trx) => lockAccessUnchanged(trx, organization.id)),
  'creates a request': () => ask({ agent: bot }),
};

test.each(Object.entries(later))(
  'who %s does not pass a change of access that waits',
  async (_, call) => {
    const order: string[] = [];
    const both = await db.transaction(async (trx) => {
      await lockAccessShared(trx, organization.id);
      const first = change().then(() => order.push('change'));
      await untilBlocked(trx);
      const second = call().then(() => order.push('later'));
      await untilBlocked(trx, 2);
      return { done: Promise.all([first, second]) };
    });
    await both.done;
    expect(order).toEqual(['change', 'later']);
  },
);

test('a decision that meets a change of access which waits is made after it', async () => {
  const id = await ask({ agent: bot });
  const { decided, changed } = await db.transaction(async (trx) => {
    await lockAccessShared(trx, organization.id);
    const changed = change();
    await untilBlocked(trx);
    const decided = decide(people.ada, id);
    await untilBlocked(trx, 2);
    return { decided, changed };
  });
  await changed;
  expect((await decided).status).toBe(200);
});

test('who changes access can commit requests while another change waits', async () => {
  const { isFree, changed } = await db.transaction(async (trx) => {
    await lockAccess(trx, organization.id);
    const changed = change();
    await untilBlocked(trx);
    const { isFree } = await queryOne<{ isFree: boolean }>(
      trx,
      `select ${triesAccessTurn(':organizationId')} as is_free`,
      { organizationId: organization.id },
    );
    return { isFree, changed };
  });
  await changed;
  expect(isFree).toBe(true);
});
