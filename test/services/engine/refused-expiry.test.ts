/** A request that Postgres does not let expire holds up no other one, and no reader of it. */
import { expect, test } from '@jest/globals';
import { createDeadlineSweep } from '../../../src/services/engine/settle.ts';
import { REVIEWER, scene } from '../../support/scene.ts';

const { app, ask, read } = await scene({ people: { ada: REVIEWER }, pipelines: { bot: {} } });

test('the sweep expires the others, leaves it out, and readers see it as it is', async () => {
  const ids = [await ask(), await ask(), await ask()];
  const [refused = '', ...others] = ids;
  await app.db.raw(
    `create function refuse_decision() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
     create trigger refuse_decision before insert on decisions for each row when (new.request_id = '${refused}') execute function refuse_decision();`,
  );
  const past = app.db.raw("clock_timestamp() - interval '1 second'");
  await app.db('approval_requests').whereIn('id', ids).update({ deadline_at: past });
  const sweep = createDeadlineSweep(app.context, { batch: 3, everyMs: 1_000 });
  await sweep();
  await sweep();

  const expired = await app.db('approval_requests').where({ state: 'expired' }).pluck('id');
  expect(new Set(expired)).toEqual(new Set(others));
  expect(await app.context.metrics.figure('countersign_requests_not_expired')).toBe(1);
  expect(await read(refused)).toMatchObject({ status: 'pending' });
});
