/** What the mapping from columns to members does, and what it leaves alone. */
import { expect, test } from '@jest/globals';
import { queryOne, queryRow, queryRows, runPrepared } from '../../src/platform/rows.ts';
import { appForFile } from '../support/scene.ts';

const app = await appForFile();

test('the columns of each row become members in camel case, null values included', async () => {
  const rows = await queryRows(
    app.db,
    'select n as level_run, cast(null as text) as left_by_id, true as closed from generate_series(1, 2) as n',
  );
  expect(rows).toEqual([
    { levelRun: 1, leftById: null, closed: true },
    { levelRun: 2, leftById: null, closed: true },
  ]);
});

test('the members inside jsonb and json values keep their names', async () => {
  const row = await queryRow(
    app.db,
    `select jsonb_build_object('scope_kind', 'agent', 'inner', jsonb_build_array(jsonb_build_object('is_owner', true))) as held_policy,
            cast('{"deep_key": 1.0}' as json) as exact_text`,
  );
  expect(row).toEqual({
    heldPolicy: { scope_kind: 'agent', inner: [{ is_owner: true }] },
    exactText: '{"deep_key": 1.0}',
  });
});

test('of two columns with one name the last one counts', async () => {
  expect(await queryRow(app.db, 'select 1 as own_id, 2 as own_id')).toEqual({ ownId: 2 });
});

test('bindings work as in every statement, in a transaction too', async () => {
  const row = await app.db.transaction((trx) =>
    queryOne(trx, 'select cast(:asked as text) as as_asked, cast(:ids as text[]) as all_ids', {
      asked: "it's",
      ids: ['a', 'b'],
    }),
  );
  expect(row).toEqual({ asAsked: "it's", allIds: ['a', 'b'] });
});

test('a prepared statement has the same members at every call', async () => {
  const statement = { name: 'rows-test', sql: 'select cast(:n as integer) as so_many' };
  expect(await runPrepared(app.db, statement, { n: 1 })).toEqual([{ soMany: 1 }]);
  expect(await runPrepared(app.db, statement, { n: 2 })).toEqual([{ soMany: 2 }]);
});

test('no row is undefined, and an error where there always is one', async () => {
  expect(await queryRow(app.db, 'select 1 where false')).toBeUndefined();
  await expect(queryOne(app.db, 'select 1 where false')).rejects.toThrow('had none');
});

test('a binding of a prepared statement may stand twice with two types, and a missing one is named', async () => {
  const statement = {
    name: 'rows-test-twice',
    sql: `select cast(:n as text) || ' a:b 12:30' as words, cast(:n as integer) + 1 as more`,
  };
  expect(await runPrepared(app.db, statement, { n: 1 })).toEqual([
    { words: '1 a:b 12:30', more: 2 },
  ]);
  await expect(runPrepared(app.db, statement, {})).rejects.toThrow(
    'statement rows-test-twice has no binding n',
  );
});
