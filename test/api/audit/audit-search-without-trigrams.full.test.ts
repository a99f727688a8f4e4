/** The audit log in a database whose user may not create extensions, and after someone who may did so. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrateToLatest } from '../../../src/data/migrate.ts';
import { createIndexer } from '../../../src/services/audit/indexer.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { startApp } from '../../support/app.ts';
import { scene } from '../../support/scene.ts';
import { HOSTED, readAll, write } from './audit-events-scene.ts';

const name = `test_${randomBytes(6).toString('hex')}`;
const server = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL'] });
const urlOf = (login: { username?: string; password?: string }) =>
  Object.assign(new URL(process.env['TEST_POSTGRES_URL'] ?? ''), login, { pathname: `/${name}` })
    .href;

beforeAll(async () => {
  await server.connect();
  await server.query(`create role ${name}_user login password 'guest'`);
  await server.query(`create database ${name} template template0`);
  await inside(`grant create on schema public to ${name}_user`);
});
afterAll(async () => {
  await server.query(`drop database ${name} with (force)`);
  await server.query(`drop role ${name}_user`);
  await server.end();
});

/** As the administrator. */
async function inside(...statements: string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: urlOf({}) });
  await admin.connect();
  for (const statement of statements) await admin.query(statement);
  await admin.end();
}

test('it is searched without the extension, and by its index once someone creates both', async () => {
  const databaseUrl = urlOf({ username: `${name}_user`, password: 'guest' });
  await migrateToLatest(databaseUrl);
  const app = await startApp({ ...HOSTED, databaseUrl });
  try {
    const { people, organization } = await scene({ on: app, people: { ada: ['audit.read'] } });
    const add = async (count: number) => {
      const events = Array.from({ length: count }, (_, index) => ({
        eventType: 'search.tried',
        data: JSON.stringify({ note: `needle "${index}"` }),
      }));
      await write(app.db, organization.id, events);
    };
    const index = async () => {
      await sealAll(app.context);
      await createIndexer(app.context).index([organization.id]);
    };
    const found = async (q: string) =>
      (await readAll(people.ada.http, { q, limit: '7' })).events.length;
    const extensions = await app.db.raw<{ rows: unknown[] }>(
      `select from pg_extension where extname = 'pg_trgm'`,
    );
    expect(extensions.rows).toEqual([]);
    await add(10);
    expect([await found('NEEDLE'), await found('e "3"'), await found('"3')]).toEqual([10, 1, 1]);
    await index();
    expect([await found('NEEDLE'), await found('e "3"'), await found('"3')]).toEqual([10, 1, 1]);
    await inside(
      'create extension pg_trgm',
      'create index concurrently audit_index_words_idx on audit_index using gin (words gin_trgm_ops)',
    );
    expect(await migrateToLatest(databaseUrl)).toEqual([]);
    await add(10);
    await index();
    expect([await found('NEEDLE'), await found('e "3"'), await found('"3')]).toEqual([20, 2, 2]);
  } finally {
    await app.close();
  }
});
