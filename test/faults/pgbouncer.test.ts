/** The service behind Debian's pgbouncer: served in session mode, refused in transaction mode. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigError } from '../../src/platform/config.ts';
import { checkDatabase } from '../../src/platform/database/check.ts';
import { migrateToLatest } from '../../src/data/migrate.ts';
import { freePort } from '../../src/local/processes.ts';
import { requestOf } from '../support/adapter.ts';
import { startApp } from '../support/app.ts';
import { cloneDatabase, type TestDatabase } from '../support/run/database.ts';
import { body, setScene, until } from './scene.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const UNPRIVILEGED = 65_534;

// `.ci/run` installs it and says when it could not.
(existsSync(PGBOUNCER) ? describe : describe.skip)('behind pgbouncer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pgbouncer-'));
  const poolers: ChildProcess[] = [];
  let database: TestDatabase;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    database = await cloneDatabase();
  });
  afterAll(async () => {
    for (const pooler of poolers) {
      pooler.kill('SIGKILL');
      await once(pooler, 'exit');
    }
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Answers the URL of the database through a pgbouncer with Debian's settings, but for these. */
  async function pooled(mode: 'session' | 'transaction' | 'statement'): Promise<string> {
    const port = await freePort();
    const { hostname, port: target, username, password, pathname } = new URL(database.url);
    const file = join(folder, `${mode}.ini`);
    const name = pathname.slice(1);
    writeFileSync(
      file,
      `[databases]
${name} = host=${hostname} port=${target} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
`,
    );
    // It refuses to run as root.
    const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
    poolers.push(spawn(PGBOUNCER, ['--quiet', file], { stdio: 'ignore', ...user }));
    const listens = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve(true);
        }).on('error', () => {
          resolve(false);
        });
      });
    await until('pgbouncer listens', listens);
    return `postgres://any@127.0.0.1:${port}/${name}`;
  }

  test('in session mode it is migrated, ready, answers 30 creates at once, and hears other processes', async () => {
    const databaseUrl = await pooled('session');
    await checkDatabase(databaseUrl, 'migrate');
    expect(await migrateToLatest(databaseUrl)).toEqual([]);
    const app = await startApp({ databaseUrl, rules: 'door' });
    const other = await startApp({ databaseUrl, rules: 'door' });
    try {
      const { body: health } = await app.http.get('/health/ready');
      expect(health['checks']).toMatchObject({ database: { status: 'ok' } });
      const scene = await setScene(app);
      const created = await Promise.all(
        Array.from({ length: 30 }, () => scene.adapter.create(body('deploy'))),
      );
      expect(created.map((answer) => requestOf(answer).status)).toEqual(
        created.map(() => 'pending'),
      );
      const { id } = requestOf(created[0] as (typeof created)[0]);
      const wait = scene.adapter.get(id, { wait: '20s' });
      await until('the wait is parked', () => app.context.changes.waitedFor().length === 1);
      expect((await scene.decide(id, { url: other.url })).status).toBe(200);
      expect(requestOf(await wait).status).toBe('approved');
    } finally {
      await Promise.all([app.close(), other.close()]);
    }
  });

  test.each(['transaction', 'statement'] as const)(
    'in %s mode it is refused with one sentence',
    async (mode) => {
      const refused = checkDatabase(await pooled(mode), 'serve');
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(/pool_mode = session/);
    },
  );
});
