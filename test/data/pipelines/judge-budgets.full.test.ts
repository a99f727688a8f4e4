/** The budget of a day holds, however many processes reserve from it at once. */
import { expect, test } from '@jest/globals';
import {
  deleteOldJudgeBudgets,
  reserveTokens,
  settleTokens,
} from '../../../src/data/pipelines/judge-budgets.ts';
import { appForFile } from '../../support/scene.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { createOrganization } from '../../support/scene/factories.ts';

const app = await appForFile();
const budgets = () => app.db('judge_budgets');

test('exactly the calls that fit are reserved, in a race from the first on', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await createOrganization(app);
    const reserve = () => reserveTokens(app.db, id, { tokens: 100, dailyTokens: 1_050 });
    const reserved = await Promise.all(Array.from({ length: 20 }, reserve));
    expect(reserved.filter((each) => each !== undefined)).toHaveLength(10);
    expect(await budgets().where({ organization_id: id }).first()).toMatchObject({ tokens: 1_000 });
  }
});

test('a call of its own that exceeds the day is never reserved', async () => {
  const { id } = await createOrganization(app);
  expect(await reserveTokens(app.db, id, { tokens: 11, dailyTokens: 10 })).toBeUndefined();
  expect(await budgets().where({ organization_id: id })).toEqual([]);
});

test('a settled call takes what it took, in the day of its reservation', async () => {
  const { id } = await createOrganization(app);
  const limits = { tokens: 900, dailyTokens: 1_000 };
  const reservation = await reserveTokens(app.db, id, limits);
  if (!reservation) throw new Error('nothing was reserved');
  expect(await reserveTokens(app.db, id, limits)).toBeUndefined();
  await settleTokens(app.db, id, { ...reservation, taken: 100 });
  expect(await reserveTokens(app.db, id, limits)).toEqual(reservation);
  // A model that took more than it might: the next call no longer fits.
  await settleTokens(app.db, id, { ...reservation, taken: 5_000 });
  expect(await reserveTokens(app.db, id, { ...limits, tokens: 1 })).toBeUndefined();
  await budgets().update({ day: '2026-01-01' });
  expect(await reserveTokens(app.db, id, limits)).toBeDefined();
  await settleTokens(app.db, id, { ...reservation, day: '2026-01-01', taken: 0 });
  expect(await budgets().where({ organization_id: id }).orderBy('day').pluck('tokens')).toEqual([
    4_200, 900,
  ]);
  await deleteOldJudgeBudgets(app.db, 100);
  expect(await budgets().where({ organization_id: id }).pluck('tokens')).toEqual([900]);
});
