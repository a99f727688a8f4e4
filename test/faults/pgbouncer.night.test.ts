/** The service behind Debian's pgbouncer: served in session mode, refused in transaction mode. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigError } from '../../src/platform/config.ts';
import { checkDatabase } from '../../src/platform/database/check.ts';
import { migrateToLatest } from '../../src/data/migrate.ts';
import { freePort } from '../../src/local/processes.ts';
import { requestOf } from '../support/adapter.ts';
import { startApp } from '../support/app.ts';
import { brokenPromises } from '../support/outcomes.ts';
import { cloneDatabase, type TestDatabase } from '../support/run/database.ts';
import { body, setScene, until } from './scene.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const UNPRIVILEGED = 65_534;

interface AnyResponse {
  readonly status: number;
  readonly text: string;
}

/** `503 dependency_unavailable`, or the status of a success. */
function outcomeOf({ status, text }: AnyResponse): string {
  const { error } = JSON.parse(text) as { readonly error?: { readonly code: string } };
  return error ? `${status} ${error.code}` : String(status);
}

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

  interface Pooled {
    /** Of the database, through pgbouncer. */
    readonly url: string;
    /** It ends without a word to its clients, and starts again on the same port. */
    restart(downMs: number): Promise<void>;
  }

  /** Starts a pgbouncer with Debian's settings, but for these. */
  async function startPooler(mode: 'session' | 'transaction' | 'statement'): Promise<Pooled> {
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
    const listens = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve(true);
        }).on('error', () => {
          resolve(false);
        });
      });
    const start = async (): Promise<ChildProcess> => {
      const pooler = spawn(PGBOUNCER, ['--quiet', file], { stdio: 'ignore', ...user });
      poolers.push(pooler);
      await until('pgbouncer listens', listens);
      return pooler;
    };
    let running = await start();
    return {
      url: `postgres://any@127.0.0.1:${port}/${name}`,
      restart: async (downMs) => {
        poolers.splice(poolers.indexOf(running), 1);
        running.kill('SIGKILL');
        await once(running, 'exit');
        await delay(downMs);
        running = await start();
      },
    };
  }

  test('in session mode it is migrated, ready, answers 30 creates at once, and hears other processes', async () => {
    const { url: databaseUrl } = await startPooler('session');
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

  test('creates and decisions during its restarts are answered with 503 at worst, and each happens once', async () => {
    const pooler = await startPooler('session');
    const app = await startApp({ databaseUrl: pooler.url, rules: 'door' });
    try {
      const scene = await setScene(app);
      const outcomes: string[] = [];
      const NOT_YET = ['503 dependency_unavailable', '409 request_evaluating'];
      /** As callers do: until an answer is final. */
      const finalAnswer = async <T extends AnyResponse>(call: () => Promise<T>): Promise<T> => {
        for (;;) {
          const answer = await call();
          const outcome = outcomeOf(answer);
          outcomes.push(outcome);
          if (!NOT_YET.includes(outcome)) return answer;
          await delay(50);
        }
      };
      const askAndDecide = async (): Promise<string> => {
        const keys = [randomUUID(), randomUUID()] as const;
        const created = await finalAnswer(() =>
          scene.adapter.create(body('deploy'), { idempotencyKey: keys[0] }),
        );
        const { id } = requestOf(created);
        await finalAnswer(() => scene.decide(id, { key: keys[1] }));
        return id;
      };
      const end = performance.now() + 4_000;
      const worker = async (): Promise<string[]> => {
        const ids: string[] = [];
        while (performance.now() < end) ids.push(await askAndDecide());
        return ids;
      };
      const work = Promise.all(Array.from({ length: 8 }, worker));
      for (const downMs of [0, 300, 1_000]) {
        await delay(400);
        await pooler.restart(downMs);
      }
      const ids = (await work).flat();
      expect(new Set(ids).size).toBe(ids.length);
      expect(outcomes.filter((each) => !['200', '201', ...NOT_YET].includes(each))).toEqual([]);
      const { id } = requestOf(await scene.adapter.create(body('deploy')));
      const wait = scene.adapter.get(id, { wait: '20s' });
      expect((await scene.decide(id)).status).toBe(200);
      expect(requestOf(await wait).status).toBe('approved');
      const mine = app.db('approval_requests').whereIn('id', [...ids, id]);
      expect(await mine.whereNot({ state: 'approved' }).pluck('id')).toEqual([]);
      expect(await brokenPromises(app.db, scene)).toEqual([]);
    } finally {
      await app.close();
    }
  });

  test.each(['transaction', 'statement'] as const)(
    'in %s mode it is refused with one sentence',
    async (mode) => {
      const refused = checkDatabase((await startPooler(mode)).url, 'serve');
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(/pool_mode = session/);
    },
  );
});
