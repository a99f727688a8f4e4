/**
 * The life of the secrets key: created, kept, lost, set, replaced. Real processes, real Postgres.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SEALED_FOR } from '../../src/domain/sealed-secrets.ts';
import { openPool, type Db } from '../../src/platform/postgres.ts';
import { endProcess, isRunning } from '../../src/local/processes.ts';
import { openSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { startEmbeddedPostgres } from '../../src/local/embedded-postgres.ts';
import { cloneDatabase } from '../support/run/database.ts';
import { mainProcess, runCommand, servers, startService } from './processes.ts';

const SECRET = Buffer.from('the seed of an app');

async function putFactor(db: Db, key: string): Promise<string> {
  const id = randomUUID();
  const { sealed, keyId } = openSecretBox(key, []).seal(SECRET, SEALED_FOR.totp(id));
  await db('users').insert({
    id,
    email: `${id}@example.com`,
    display_name: 'Grace Field',
    created_at: new Date(),
  });
  await db('totp_factors').insert({
    user_id: id,
    secret: sealed,
    secret_key_id: keyId,
    created_at: new Date(),
  });
  return id;
}

/** The secret of the person's factor, opened with this key only. */
async function readFactor(db: Db, id: string, key: string): Promise<Buffer> {
  const row = (await db('totp_factors')
    .where({ user_id: id })
    .first('secret', 'secret_key_id')) as {
    secret: Buffer;
    secret_key_id: string;
  };
  return openSecretBox(key, []).open(
    { keyId: row.secret_key_id, sealed: row.secret },
    SEALED_FOR.totp(id),
  );
}

async function within<T>(connectionString: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openPool({ connectionString, max: 1, applicationName: 'test' });
  return await work(db).finally(() => db.destroy());
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
});

afterEach(async () => {
  for (const find of [() => [mainProcess(folder)], () => Object.values(servers(folder))]) {
    try {
      for (const identity of find()) await endProcess(identity, { signals: [], graceMs: 1_000 });
    } catch {
      // It has stopped already.
    }
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('with DATABASE_URL', () => {
  test('everything is re-encrypted under the given key once; a missing key stops it and the service, with its name', async () => {
    const database = await cloneDatabase();
    const [oldKey, newKey] = [
      randomBytes(32).toString('base64'),
      randomBytes(32).toString('base64'),
    ];
    const oldId = openSecretBox(oldKey, []).keyId;
    const ids = await within(database.url, async (db) => [
      await putFactor(db, oldKey),
      await putFactor(db, oldKey),
    ]);
    const run = (command: string, env: Record<string, string>) =>
      runCommand([command], folder, { env: { DATABASE_URL: database.url, ...env } });

    const withoutKey = run('rotate-secrets', {});
    expect([withoutKey.status, withoutKey.stderr]).toEqual([
      78,
      expect.stringContaining('COUNTERSIGN_SECRETS_KEY must be set'),
    ]);
    const lacking = run('rotate-secrets', { COUNTERSIGN_SECRETS_KEY: newKey });
    expect([lacking.status, lacking.stderr]).toEqual([1, expect.stringContaining(oldId)]);
    // Both roles read the keys in the same way.
    for (const [role, keys] of [
      ['api', { COUNTERSIGN_SECRETS_KEY: newKey }],
      ['worker', {}],
    ] as const) {
      const refused = run(role, { TEMPORAL_ADDRESS: '127.0.0.1:9', ...keys });
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(oldId)]);
    }

    const both = { COUNTERSIGN_SECRETS_KEY: newKey, COUNTERSIGN_PREVIOUS_SECRETS_KEYS: oldKey };
    const done = run('rotate-secrets', both);
    expect([done.status, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toMatch(/^2 secrets re-encrypted/);
    await within(database.url, async (db) => {
      for (const id of ids) expect(await readFactor(db, id, newKey)).toEqual(SECRET);
    });
    expect(`${done.stdout}${lacking.stderr}`).not.toContain(newKey);
    await database.drop();
  });

  test('no key file is created or required, and --new-key is refused', () => {
    const env = {
      DATABASE_URL: 'postgres://127.0.0.1:9/none',
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    };
    const refused = runCommand(['rotate-secrets', '--new-key'], folder, { env });
    expect([refused.status, refused.stderr]).toEqual([
      78,
      expect.stringContaining('COUNTERSIGN_PREVIOUS_SECRETS_KEYS'),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('on the Postgres of `start`', () => {
  const file = (name = 'secrets-key') => join(folder, name);
  const keyIn = (name?: string) => readFileSync(file(name), 'utf8').trim();
  /** The Postgres of the folder, while the work runs. */
  const inFolder = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const server = await startEmbeddedPostgres({ directory: join(folder, 'postgres') });
    return await within(server.url('countersign'), work).finally(() => server.stop());
  };
  const stop = async (service: Awaited<ReturnType<typeof startService>>) => {
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([0, null]);
  };

  test('the key is created once and kept, never replaced by one that opens nothing, and renewed on demand', async () => {
    const service = await startService(folder);
    const first = keyIn();
    expect([statSync(file()).mode & 0o777, Buffer.from(first, 'base64').length]).toEqual([
      0o600, 32,
    ]);
    expect(service.output()).not.toContain(first);
    const busy = runCommand(['rotate-secrets', '--new-key'], folder);
    expect([busy.status, busy.stderr]).toEqual([1, expect.stringContaining('already runs on')]);
    expect(keyIn()).toBe(first);
    await stop(service);
    const id = await inFolder((db) => putFactor(db, first));

    // Lost: neither the service nor a rotation creates another one.
    renameSync(file(), file('backup'));
    for (const command of [['start'], ['rotate-secrets'], ['rotate-secrets', '--new-key']]) {
      const refused = runCommand(command, folder);
      expect([refused.status, `${refused.stdout}${refused.stderr}`]).toEqual([
        1,
        expect.stringContaining(openSecretBox(first, []).keyId),
      ]);
      expect(existsSync(file())).toBe(false);
    }
    writeFileSync(file(), 'no key at all\n');
    // `start` reads it in the same way, after it has started three servers.
    const spoilt = runCommand(['rotate-secrets'], folder);
    expect([spoilt.status, spoilt.stderr]).toEqual([
      1,
      expect.stringContaining('holds no secrets key'),
    ]);
    renameSync(file('backup'), file());

    const rotated = runCommand(['rotate-secrets', '--new-key'], folder);
    expect([rotated.status, rotated.stderr]).toEqual([0, '']);
    expect(rotated.stdout).toMatch(/^1 secret re-encrypted/);
    const second = keyIn();
    expect([
      second === first,
      statSync(file()).mode & 0o777,
      existsSync(file('secrets-key.previous')),
    ]).toEqual([false, 0o600, false]);
    expect(await inFolder((db) => readFactor(db, id, second))).toEqual(SECRET);

    // As after an interruption: there is a new key, and the value is still sealed under the earlier
    // one.
    const third = randomBytes(32).toString('base64');
    writeFileSync(file('secrets-key.previous'), `${second}\n`, { mode: 0o600 });
    writeFileSync(file(), `${third}\n`, { mode: 0o600 });
    await stop(await startService(folder));
    expect(keyIn('secrets-key.previous')).toBe(second);
    expect(runCommand(['rotate-secrets'], folder).stdout).toMatch(/^1 secret re-encrypted/);
    expect([keyIn(), existsSync(file('secrets-key.previous'))]).toEqual([third, false]);
    expect(await inFolder((db) => readFactor(db, id, third))).toEqual(SECRET);
    expect(existsSync(file('countersign.lock'))).toBe(false);
    expect(() => Object.values(servers(folder)).filter(isRunning)).toThrow();
  });
});
