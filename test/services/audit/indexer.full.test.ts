/** The index of audit events for readers. */
import { expect, test } from '@jest/globals';
import { createIndexer } from '../../../src/services/audit/indexer.ts';
import { sealAll, startSealing } from '../../../src/services/audit/sealer.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';
import { record } from './audit-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
const open = await appForFile();

const AGE = 'countersign_audit_unindexed_oldest_seconds';

const rowsOf = async (organizationId: string, on = app) =>
  (
    await on.db.raw<{ rows: { indexed: number; counted: number; words: string | null }[] }>(
      `select count(*) as indexed, min(words) as words,
              (select coalesce(sum(count), 0) from audit_counts where organization_id = :id) as counted
         from audit_index where organization_id = :id`,
      { id: organizationId },
    )
  ).rows[0];

test('the sealers of the hosted edition fill it, those of the open edition do not', async () => {
  const { id } = await createOrganization(app);
  const other = await createOrganization(open);
  await record(app.db, id, { count: 3 });
  await record(open.db, other.id, { count: 3 });
  const sealing = [startSealing(app.context), startSealing(open.context)];
  await until('both have sealed, and one has indexed', async () => {
    const chained = await open.db('audit_chain').where({ organization_id: other.id });
    return Number((await rowsOf(id))?.indexed) >= 3 && chained.length >= 3;
  });
  await Promise.all(sealing.map((each) => each.stop()));
  expect(Number((await rowsOf(other.id, open))?.indexed)).toBe(0);
});

test('it is the same when it is built again', async () => {
  const { id } = await createOrganization(app);
  await record(app.db, id, { count: 20 });
  await sealAll(app.context);
  await createIndexer(app.context, { batch: 3 }).index([id]);
  const before = await rowsOf(id);
  await app.db.raw('truncate audit_index, audit_counts, audit_pairs, audit_indexed');
  // It finds by itself what is missing.
  await createIndexer(app.context, { batch: 4 }).index([]);
  expect(await rowsOf(id)).toEqual(before);
  expect(Number(before?.indexed)).toBe(20);
  // Searches are planned for what it wrote: Postgres analyzes tables by itself only after a while.
  const { reltuples } = await app
    .db('pg_class')
    .where({ relname: 'audit_index' })
    .first('reltuples');
  expect(reltuples).toBeGreaterThanOrEqual(20);
});

test('it has memory for all that the index of trigrams merges at once, and only while it writes', async () => {
  const { id } = await createOrganization(app);
  await app.db.raw(`
    create table seen (memory text, merged text);
    create function see() returns trigger language plpgsql as $$
    begin
      insert into seen values (current_setting('work_mem'), current_setting('gin_pending_list_limit'));
      return null;
    end $$;
    create trigger see after insert on audit_index execute function see()`);
  await record(app.db, id, { count: 2 });
  await sealAll(app.context);
  await createIndexer(app.context).index([id]);
  const { rows } = await app.db.raw<{ rows: unknown[] }>(
    'select pg_size_bytes(memory) >= 2 * pg_size_bytes(merged) as fits, memory = current_setting($$work_mem$$) as is_usual from seen',
  );
  await app.db.raw('drop table seen; drop function see() cascade');
  expect(rows).toEqual([{ fits: true, is_usual: false }]);
});

test('indexers that run at once index every event once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await createOrganization(app);
    await record(app.db, id, { count: 40 });
    await sealAll(app.context);
    const indexers = Array.from({ length: 4 }, () => createIndexer(app.context, { batch: 5 }));
    await Promise.all(indexers.map((each) => each.index([id])));
    await createIndexer(app.context).index([]);
    const { indexed, counted } = (await rowsOf(id)) ?? {};
    expect([Number(indexed), Number(counted)]).toEqual([40, 40]);
  }
});

test('what cannot be indexed holds up neither its chain nor other organizations', async () => {
  const [bad, good] = [await createOrganization(app), await createOrganization(app)];
  await app.db.raw(
    `alter table audit_index add constraint audit_index_refused_check check (organization_id <> '${bad.id}') not valid`,
  );
  await record(app.db, bad.id, { occurredAt: new Date(Date.now() - 86_400_000) });
  await record(app.db, good.id);
  const sealed = await sealAll(app.context);
  expect([...sealed].sort()).toEqual([bad.id, good.id].sort());
  const indexer = createIndexer(app.context);
  await indexer.index(sealed);
  const { registry } = app.context.metrics;
  expect(await registry.getSingleMetricAsString(AGE)).toMatch(/^\S+ 86\d{3}/m);
  await app.db.raw('alter table audit_index drop constraint audit_index_refused_check');
  expect([(await rowsOf(bad.id))?.indexed, (await rowsOf(good.id))?.indexed].map(Number)).toEqual([
    0, 1,
  ]);
  // It is tried again without another look at all chains.
  await indexer.index([]);
  expect(Number((await rowsOf(bad.id))?.indexed)).toBe(1);
  expect(await registry.getSingleMetricAsString(AGE)).toMatch(/^\S+ 0$/m);
});
