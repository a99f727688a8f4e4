import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pendingMigrations } from '../src/data/migrate.ts';
import { describeSchema } from '../src/data/schema-description.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { openPool, type Db } from '../src/platform/postgres.ts';
import { builtTestPath } from './support/run/built.ts';
import { cloneDatabase, type TestDatabase } from './support/run/database.ts';

interface Migration {
  up(db: Db): Promise<void>;
  down(db: Db): Promise<void>;
}

const folder = join(packageRoot(), 'migrations');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .sort();

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  db = openPool({ connectionString: database.url, max: 2, applicationName: 'migrations-test' });
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function rows<Row>(sql: string): Promise<Row[]> {
  return (await db.raw<{ rows: Row[] }>(sql)).rows;
}

const ours = `c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'knex%'`;

describe('the schema', () => {
  test('matches the committed one: run `npm run schema` after a change of a migration', async () => {
    const committed = readFileSync(join(folder, 'schema.sql'), 'utf8');
    expect(committed.split('\n').slice(2).join('\n')).toBe(await describeSchema(db));
  });

  test('explains every table', async () => {
    const silent = `select c.relname from pg_class c where ${ours} and coalesce(obj_description(c.oid, 'pg_class'), '') = ''`;
    expect(await rows(silent)).toEqual([]);
  });

  test('has an index for every foreign key that begins with its columns', async () => {
    // A partial index on rows with the reference is as good as a whole one. So is a key among the
    // columns.
    const unled = await rows(`
      select c.relname as table, k.conname as foreign_key from pg_constraint k join pg_class c on c.oid = k.conrelid
      where ${ours} and k.contype = 'f' and not exists (
        select 1 from pg_index i, lateral (select (i.indkey::smallint[])[0:i.indnkeyatts - 1] as columns) x
        where i.indrelid = k.conrelid and i.indisvalid and (
          (x.columns[1:cardinality(k.conkey)] @> k.conkey and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) =
            (select format('(%I IS NOT NULL)', a.attname) from pg_attribute a where a.attrelid = k.conrelid and a.attnum = k.conkey[1])))
          or (i.indisunique and i.indpred is null and k.conkey @> x.columns)))
      order by 1, 2`);
    expect(unled).toEqual([]);
  });

  test('names every constraint and index after its table', async () => {
    const strangers = await rows(`
      select c.relname as table, n.name from pg_class c, lateral (
        select conname::text as name from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'f', 'c')
        union select x.relname::text from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid) n
      where ${ours} and not starts_with(n.name, c.relname)`);
    expect(strangers).toEqual([]);
  });

  test('keeps instants to the millisecond and uses no varchar, jsonb or timestamp without zone', async () => {
    const types = await rows<{ type: string }>(`
      select distinct format_type(a.atttypid, a.atttypmod) as type from pg_attribute a join pg_class c on c.oid = a.attrelid
      where ${ours} and a.attnum > 0 and not a.attisdropped`);
    const allowed = [
      'uuid',
      'text',
      'text[]',
      'json',
      'boolean',
      'integer',
      'bigint',
      'bytea',
      'timestamp(3) with time zone',
      'date',
      'bigint[]',
      'xid8',
    ];
    expect(types.map(({ type }) => type).filter((type) => !allowed.includes(type))).toEqual([]);
  });
});

describe('the migrations', () => {
  test('are named <UTC second>_<noun>, and a migrated database has run all of them', async () => {
    expect(files.filter((file) => !/^20\d{12}_[a-z_]+\.ts$/.test(file))).toEqual([]);
    expect(await pendingMigrations(db)).toEqual([]);
  });

  test('rename the younger of agents whose names differ only in case, whatever their names', async () => {
    const names = await import('../migrations/20261122000001_agent_names.ts');
    const organizationId = randomUUID();
    await db.transaction((trx) => names.down(trx));
    await db('organizations').insert({
      id: organizationId,
      name: 'Names',
      slug: 'names',
      created_at: new Date(),
    });
    const add = (slug: string, name: string, more: object = {}) =>
      db('agents').insert({
        organization_id: organizationId,
        slug,
        name,
        status: 'active',
        created_by_actor_id: randomUUID(),
        created_at: new Date(),
        updated_at: new Date(),
        ...more,
      });
    await add('first', 'Deploy');
    await add('second', 'DEPLOY');
    await add('third', 'deploy');
    await add('taken', 'deploy (THIRD)');
    await add('gone', 'dEploy', { status: 'archived', archived_at: new Date() });
    await add('long', 'x'.repeat(200));
    await add('longer', 'X'.repeat(200));
    await db.transaction((trx) => names.up(trx));
    const rows = (await db('agents')
      .where({ organization_id: organizationId })
      .orderBy('created_at')
      .select('slug', 'name')) as { slug: string; name: string }[];
    expect(Object.fromEntries(rows.map(({ slug, name }) => [slug, name]))).toEqual({
      first: 'Deploy',
      second: 'DEPLOY (second)',
      third: 'deploy (third) (2)',
      taken: 'deploy (THIRD)',
      gone: 'dEploy',
      long: 'x'.repeat(200),
      longer: `${'X'.repeat(191)} (longer)`,
    });
    await db('agents').where({ organization_id: organizationId }).delete();
    await db('organizations').where({ id: organizationId }).delete();
  });

  test('give the younger of names that read the same a number, whatever the names', async () => {
    const compared = await import('../migrations/20261126002300_compared_names.ts');
    // Later ones add columns to the same tables, and change an index of it.
    const deleted = await import('../migrations/20261126054200_instance_operations.ts');
    const withdrawn = await import('../migrations/20261126062000_withdrawn_keys.ts');
    await db.transaction((trx) => withdrawn.down(trx));
    await db.transaction((trx) => deleted.down(trx));
    await db.transaction((trx) => compared.down(trx));
    const organizationId = randomUUID();
    await db('organizations').insert({
      id: organizationId,
      name: 'Compared',
      slug: 'compared',
      created_at: new Date(),
    });
    let day = 0;
    const later = () => new Date(Date.UTC(2026, 0, (day += 1)));
    const agent = (slug: string, name: string, more: object = {}) => {
      const at = later();
      return db('agents').insert({
        organization_id: organizationId,
        slug,
        name,
        status: 'active',
        created_by_actor_id: randomUUID(),
        created_at: at,
        updated_at: at,
        ...more,
      });
    };
    const instance = (agentSlug: string, name: string) => {
      const at = later();
      return db('agent_instances').insert({
        id: randomUUID(),
        organization_id: organizationId,
        agent_slug: agentSlug,
        name,
        status: 'active',
        created_at: at,
        last_seen_at: at,
      });
    };
    const team = (name: string, more: object = {}) =>
      db('teams').insert({
        id: randomUUID(),
        organization_id: organizationId,
        name,
        created_at: later(),
        ...more,
      });
    await agent('first', 'Pay bot');
    await agent('second', 'pay bot \u3000');
    await agent('third', ' Pay bot');
    await agent('taken', 'PAY BOT (2)');
    await agent('gone', 'Pay bot', { status: 'archived', archived_at: new Date() });
    await agent('long', 'x'.repeat(200));
    await agent('longer', `${'x'.repeat(199)}\u200bX`);
    for (const name of ['Runner', 'RUNNER', 'runner ', 'runner (2)']) await instance('first', name);
    await instance('second', 'Runner');
    for (const name of ['Night', 'Night ', 'N'.repeat(100), ` ${'N'.repeat(100)}`])
      await team(name);
    await team('Night', { archived_at: new Date() });
    const namesOf = async (table: string) =>
      await db(table)
        .where({ organization_id: organizationId })
        .orderBy('created_at')
        .pluck<string[]>('name');
    await db.transaction((trx) => compared.up(trx));
    await db.transaction((trx) => deleted.up(trx));
    await db.transaction((trx) => withdrawn.up(trx));
    expect(await namesOf('agents')).toEqual([
      'Pay bot',
      'pay bot (3)',
      ' Pay bot (4)',
      'PAY BOT (2)',
      'Pay bot',
      'x'.repeat(200),
      `${'x'.repeat(196)} (2)`,
    ]);
    expect(await namesOf('agent_instances')).toEqual([
      'Runner',
      'RUNNER (3)',
      'runner (4)',
      'runner (2)',
      'Runner',
    ]);
    expect(await namesOf('teams')).toEqual([
      'Night',
      'Night (2)',
      'N'.repeat(100),
      ` ${'N'.repeat(95)} (2)`,
      'Night',
    ]);
    for (const table of ['agent_instances', 'agents', 'teams'])
      await db(table).where({ organization_id: organizationId }).delete();
    await db('organizations').where({ id: organizationId }).delete();
  });

  test('know from the audit log who last activated a revision', async () => {
    const history = await import('../migrations/20261122000029_revision_history.ts');
    await db.transaction((trx) => history.down(trx));
    const [organizationId, documentId, actorId] = [randomUUID(), randomUUID(), randomUUID()];
    const at = (day: number) => new Date(Date.UTC(2026, 2, day));
    await db('organizations').insert({
      id: organizationId,
      name: 'Acts',
      slug: 'acts',
      created_at: at(1),
    });
    await db('request_approval_pipelines').insert({
      id: documentId,
      organization_id: organizationId,
      document_key: 'organization',
      latest_revision: 3,
      created_at: at(1),
    });
    for (const revision of [1, 2, 3])
      await db('request_approval_pipeline_revisions').insert({
        id: randomUUID(),
        request_approval_pipeline_id: documentId,
        revision,
        document: '{"blocks":[]}',
        created_by_actor_id: actorId,
        created_at: at(1),
      });
    for (const day of [2, 3])
      await db('audit_events').insert({
        id: randomUUID(),
        organization_id: organizationId,
        event_type: 'request_approval_pipeline.revision_activated',
        actor_type: 'human',
        actor_id: actorId,
        subject_type: 'request_approval_pipeline',
        subject_id: 'organization',
        data: '{"revision":2,"previous_revision":1}',
        occurred_at: at(day),
      });
    await db.transaction((trx) => history.up(trx));
    const rows = (await db('request_approval_pipeline_revisions')
      .where({ request_approval_pipeline_id: documentId })
      .orderBy('revision')
      .select('activated_at', 'activated_by_actor_id')) as unknown[];
    expect(rows).toEqual([
      { activated_at: at(1), activated_by_actor_id: actorId },
      { activated_at: at(3), activated_by_actor_id: actorId },
      { activated_at: null, activated_by_actor_id: null },
    ]);
  });

  test('go down to an empty database and up again to the same schema', async () => {
    const migrations = await Promise.all(
      files.map(
        async (file) =>
          (await import(pathToFileURL(builtTestPath(`migrations/${file}`)).href)) as Migration,
      ),
    );
    const before = await describeSchema(db);
    for (const migration of migrations.toReversed())
      await db.transaction((trx) => migration.down(trx));
    expect((await describeSchema(db)).trim()).toBe('');
    for (const migration of migrations) await db.transaction((trx) => migration.up(trx));
    expect(await describeSchema(db)).toBe(before);
  });
});
