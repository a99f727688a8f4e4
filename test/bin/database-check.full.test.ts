/** What is wrong with a database or a certificate is said in one sentence, by every command that uses one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { ConfigError } from '../../src/platform/config.ts';
import { checkDatabase, problemIn, type DatabaseUse } from '../../src/platform/database/check.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { cloneDatabase, type TestDatabase } from '../support/run/database.ts';
import { createAuthority } from '../support/servers/certificates.ts';
import { runCommand } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-check-'));
const authority = createAuthority('private');
const { cert, key } = authority.issue({ names: ['127.0.0.1'] });
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const ca = file('ca.pem', authority.cert);
let database: TestDatabase;
let admin: pg.Client;
let name: string;
let tlsServer: Server;

beforeAll(async () => {
  database = await cloneDatabase();
  name = new URL(database.url).pathname.slice(1);
  admin = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL'] });
  await admin.connect();
  await admin.query(
    `create database ${name}_latin encoding 'LATIN1' template template0 locale 'C'`,
  );
  await admin.query(`create role ${name}_guest login password 'guest'`);
  tlsServer = withTls(Number(new URL(database.url).port));
  await new Promise<void>((resolve) => tlsServer.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  tlsServer.close();
  await admin.query(`drop database ${name}_latin with (force)`);
  await database.drop();
  await admin.query(`drop role ${name}_guest`);
  await admin.end();
  rmSync(folder, { recursive: true });
});

/** Postgres with TLS: agrees to it, and passes on what it decrypts. */
function withTls(port: number): Server {
  return createServer((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const inside = new TLSSocket(socket, { isServer: true, cert, key });
      const target = connect({ port, host: '127.0.0.1' });
      inside.pipe(target).pipe(inside);
      const ends = [socket, inside, target];
      // A connection that Postgres waits for in vain would hold up the end of this file.
      for (const end of ends)
        for (const event of ['error', 'close'])
          end.on(event, () => ends.map((each) => each.destroy()));
    });
  });
}

interface Change {
  readonly query?: string;
  readonly port?: string;
  readonly hostname?: string;
  readonly database?: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: boolean;
}

function url({ query = '', database: other, tls, ...parts }: Change): string {
  const changed = Object.assign(new URL(database.url), parts, { search: query });
  if (tls) changed.port = String((tlsServer.address() as AddressInfo).port);
  if (other !== undefined) changed.pathname = `/${other}`;
  return changed.href;
}

const failure = (given: Change, use: DatabaseUse = 'serve'): Promise<unknown> =>
  checkDatabase(url(given), use).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a database', () => {
  test('that can be used is accepted, also over TLS with a private authority', async () => {
    expect(await failure({}, 'migrate')).toBeUndefined();
    const query = `sslmode=verify-full&sslrootcert=${ca}`;
    expect(await failure({ tls: true, query })).toBeUndefined();
  });

  test.each<[string, () => Change, RegExp]>([
    ['with no listener', () => ({ port: '9' }), /ECONNREFUSED.*Check host and port/],
    [
      'at an unknown host',
      () => ({ hostname: 'nowhere.invalid' }),
      /nowhere\.invalid.*Check the name/,
    ],
    ['that does not exist', () => ({ database: 'none' }), /"none" does not exist\. Create it/],
    ['with another password', () => ({ password: 'wrong' }), /Check user and password/],
    ['without a password', () => ({ password: '' }), /Check user and password/],
    ['in another encoding', () => ({ database: `${name}_latin` }), /encoded in LATIN1/],
    [
      'that lets the role read nothing',
      () => ({ username: `${name}_guest`, password: 'guest' }),
      /role test_\w+_guest read and write table \w+\. Use the role/,
    ],
    ['without TLS', () => ({ query: 'sslmode=verify-full' }), /does not support SSL.*Turn on TLS/],
    [
      'with a private authority that is not named',
      () => ({ tls: true, query: 'sslmode=verify-full' }),
      /certificate.*sslrootcert=/,
    ],
    [
      'with another authority than the named one',
      () => {
        const other = file('other.pem', createAuthority('other').cert);
        return { tls: true, query: `sslmode=verify-full&sslrootcert=${other}` };
      },
      /certificate.*sslrootcert=/,
    ],
    [
      'with a certificate for another name',
      () => ({
        tls: true,
        hostname: 'localhost',
        query: `sslmode=verify-full&sslrootcert=${ca}`,
      }),
      /host name that its certificate has/,
    ],
    [
      'whose authority is a missing file',
      () => ({ query: 'sslmode=verify-full&sslrootcert=/none/ca.pem' }),
      /'\/none\/ca\.pem'.*Check sslrootcert/,
    ],
    [
      'whose authority is a folder',
      () => ({ query: `sslmode=verify-full&sslrootcert=${folder}` }),
      /EISDIR.*Check sslrootcert/,
    ],
    [
      'whose authority is no certificate',
      () => ({ tls: true, query: `sslmode=verify-full&sslrootcert=${file('text', 'text')}` }),
      /cannot be used: .*(Check|Name) /,
    ],
    [
      'whose client certificate is a missing file',
      () => ({ query: 'sslmode=verify-full&sslcert=/none/client.pem&sslkey=/none/key.pem' }),
      /'\/none\/client\.pem'.*Check sslrootcert, sslcert and sslkey/,
    ],
  ])('%s is refused with what is wrong and what to do, in one line', async (_what, given, text) => {
    const error = await failure(given());
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(text);
    expect((error as Error).message).toMatch(/^The database [^\n]+\.$/);
    const { password } = new URL(database.url);
    expect((error as Error).message).not.toContain(password);
  });

  test('where the role may not create tables can be served, and not migrated', async () => {
    await admin.query(`grant connect on database ${name} to ${name}_guest`);
    const guest = { username: `${name}_guest`, password: 'guest', database: 'postgres' };
    expect(await failure(guest)).toBeUndefined();
    expect(await failure(guest, 'migrate')).toMatchObject({
      message: expect.stringMatching(/role test_\w+ create tables\. Grant it CREATE/),
    });
  });

  test('that starts or has no free connection is an error that may pass: not the exit code of wrong configuration', async () => {
    await admin.query(`alter database ${name} connection limit 0`);
    await admin.query(`alter role ${name}_guest connection limit 0`);
    const error = await failure({ username: `${name}_guest`, password: 'guest' });
    expect([error instanceof OperatorError, error instanceof ConfigError]).toEqual([true, false]);
    await admin.query(`alter database ${name} connection limit -1`);
  });

  test('of an older version is refused', () => {
    const facts = { version: '16.4', encoding: 'UTF8', role: 'x', may_create: true };
    expect(problemIn({ ...facts, closed_table: null }, 'serve')).toMatch(/16\.4.*17 or later/);
    expect(problemIn({ ...facts, version: '18.0', closed_table: null }, 'serve')).toBeUndefined();
  });
});

test.each(['start', 'api', 'worker', 'migrate', 'rotate-secrets'])(
  '`%s` ends with one sentence and exit code 78',
  (command) => {
    const env = {
      DATABASE_URL: url({ query: 'sslmode=verify-full&sslrootcert=/none/ca.pem' }),
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      COUNTERSIGN_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    const { status, stdout, stderr } = runCommand([command], join(folder, command), { env });
    expect(status).toBe(78);
    const sentence = `The database ${name} at 127\\.0\\.0\\.1:\\d+ cannot be used: ENOENT[^\\n]*`;
    // `start` says beside it that it started and cannot go on.
    expect(`${stdout}${stderr}`).toMatch(
      new RegExp(`^(Starting[^\\n]*\\n\\nCountersign cannot go on: )?${sentence}\\n$`),
    );
  },
);
