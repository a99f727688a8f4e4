/** The database behind the address becomes read-only and writable again, or has defaults of its own. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { isDatabaseUnavailable, openPool } from '../../src/platform/postgres.ts';
import { migrateToLatest } from '../../src/data/migrate.ts';
import { errorOf, requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { cloneDatabase, type TestDatabase } from '../support/run/database.ts';
import { body, setScene, until, type Scene } from './scene.ts';

let database: TestDatabase;
let name: string;
/** Outside the database, so that it is never cut off. */
let operator: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  name = new URL(database.url).pathname.slice(1);
  operator = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL'] });
  await operator.connect();
});
afterAll(async () => {
  await operator.end();
  await database.drop();
});

/** Cuts every connection off, as a failover does. */
const cutOff = () =>
  operator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    name,
  ]);

// Inline rules hand a request to people without a worker.
describe('a database that becomes read-only', () => {
  let app: TestApp;
  let scene: Scene;

  beforeAll(async () => {
    app = await startApp({ databaseUrl: database.url, rules: 'door' });
    scene = await setScene(app);
  });
  afterAll(() => app.close());

  const create = () => scene.adapter.create(body('deploy'), { idempotencyKey: randomUUID() });
  const checks = async () => (await app.http.get('/health/ready')).body['checks'];
  const readOnly = async (on: boolean) => {
    await operator.query(`alter database ${name} set default_transaction_read_only = ${on}`);
    await cutOff();
  };

  test('answers 503, is not ready and says why, and works at once when it can write again', async () => {
    const id = requestOf(await create()).id;
    await readOnly(true);
    // The pool finds the lost connections one after the other, and opens read-only ones.
    await until('calls are read', async () => (await scene.adapter.get(id)).kind === 'request');
    expect(await checks()).toMatchObject({
      database: { status: 'unavailable', message: expect.stringMatching(/read-only/) },
    });
    const decision = await scene.decide(id);
    const answers = await Promise.all([create(), create(), create(), scene.adapter.cancel(id)]);
    for (const answer of answers) {
      const { status, error } = errorOf(answer);
      expect([status, error.type]).toEqual([503, 'dependency']);
    }
    expect([decision.status, decision.headers['retry-after']]).toEqual([503, '2']);

    // A read opens a connection that stays read-only, although new ones can write from here on: as after a failover
    // behind a proxy. The check itself has it replaced, unless work in the background met it first.
    requestOf(await scene.adapter.get(id));
    await operator.query(`alter database ${name} reset default_transaction_read_only`);
    await checks();
    expect(await checks()).toMatchObject({ database: { status: 'ok' } });
    for (let tries = 0; tries < 10; tries++)
      expect(requestOf(await create()).status).toBe('pending');
    expect((await scene.decide(id)).status).toBe(200);
  });
});

describe('a connection', () => {
  test.each(['25006', '57014', '57P01', '57P05', '55P03', '25P04', '58030', '53100', '28000'])(
    'leaves the pool after SQLSTATE %s, which counts as the database being away',
    async (code) => {
      expect(await afterError(code)).toEqual({ isAway: true, isSame: false });
    },
  );

  // Postgres rolled back a transaction to let another one go on. The same call may succeed at once.
  test.each(['40001', '40P01'])('stays in the pool after SQLSTATE %s', async (code) => {
    expect(await afterError(code)).toEqual({ isAway: true, isSame: true });
  });

  test('stays in the pool after an error of the statement', async () => {
    expect(await afterError('22012')).toEqual({ isAway: false, isSame: true });
  });

  async function afterError(code: string) {
    const db = openPool({ connectionString: database.url, max: 1, applicationName: 'test' });
    try {
      const pid = async () =>
        ((await db.raw('select pg_backend_pid() as pid')) as { rows: [{ pid: number }] }).rows[0]
          .pid;
      const before = await pid();
      expect(await pid()).toBe(before);
      const error: unknown = await db
        .raw(`do $$ begin raise sqlstate '${code}'; end $$`)
        .then(undefined, (thrown: unknown) => thrown);
      return { isAway: isDatabaseUnavailable(error), isSame: (await pid()) === before };
    } finally {
      await db.destroy();
    }
  }
});

describe('a database with defaults of its own', () => {
  const DEFAULTS = {
    datestyle: 'SQL, DMY',
    timezone: 'Asia/Kolkata',
    intervalstyle: 'sql_standard',
    bytea_output: 'escape',
    standard_conforming_strings: 'off',
    extra_float_digits: '-10',
    client_encoding: 'LATIN1',
    transform_null_equals: 'on',
    default_transaction_isolation: 'serializable',
    idle_session_timeout: '300ms',
    lock_timeout: '1ms',
  };
  let empty: string;

  beforeAll(async () => {
    empty = `${name}_odd`;
    await operator.query(`create database ${empty}`);
    for (const [setting, value] of Object.entries(DEFAULTS))
      await operator.query(`alter database ${empty} set ${setting} = '${value}'`);
  });
  afterAll(() => operator.query(`drop database ${empty} with (force)`));

  test('is migrated and served as any other: times, digits and letters come back as they are', async () => {
    const url = new URL(database.url);
    url.pathname = `/${empty}`;
    await migrateToLatest(url.href);
    const app = await startApp({ databaseUrl: url.href, rules: 'door' });
    try {
      const scene = await setScene(app);
      const began = Date.now();
      const created = requestOf(
        await scene.adapter.create({ ...body('deploy', '30m'), agent_reasoning: 'naïve 张伟' }),
      );
      expect(Math.abs(Date.parse(created.created_at) - began)).toBeLessThan(60_000);
      expect(Date.parse(created.deadline_at) - Date.parse(created.created_at)).toBe(30 * 60_000);
      const read = requestOf(await scene.adapter.get(created.id));
      expect(read).toEqual(created);
      const ready = await app.http.get('/health/ready');
      expect(ready.body['checks']).toMatchObject({ database: { status: 'ok' } });
      const { rows } = (await app.db.raw(
        `select ${Object.keys(DEFAULTS)
          .map((setting) => `current_setting('${setting}') as ${setting}`)
          .join(', ')}`,
      )) as { rows: [Record<string, string>] };
      for (const [setting, value] of Object.entries(DEFAULTS))
        expect([setting, rows[0][setting]]).not.toEqual([setting, value]);
      await until(
        'the listener hears changes',
        () => !app.log.some((line) => line.includes('57P05')),
      );
      expect((await scene.decide(created.id)).status).toBe(200);
    } finally {
      await app.close();
    }
  });
});
