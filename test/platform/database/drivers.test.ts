/** What src/platform/postgres.ts relies on in pg and Knex, and neither documents. A failure names what an upgrade changed. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import knex from 'knex';
import pg from 'pg';
import { isDatabaseUnavailable } from '../../../src/platform/postgres.ts';
import { cloneDatabase } from '../../support/run/database.ts';

const database = await cloneDatabase();
afterAll(database.drop);

/** The error of connecting to a server that does this with each connection. */
async function errorOf(connected: (socket: Socket) => void): Promise<unknown> {
  const server = createServer(connected).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new pg.Client({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    connectionTimeoutMillis: 100,
  });
  client.on('error', () => undefined);
  try {
    return await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    server.close();
  }
}

describe('pg', () => {
  test('reports every error of the server on the connection, also a caught one', async () => {
    const client = new pg.Client(database.url);
    const codes: (string | undefined)[] = [];
    await client.connect();
    client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      codes.push(code);
    });
    await client.query('select 1 / 0').catch(() => undefined);
    await client.end();
    expect(codes).toEqual(['22012']);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['is closed at once', (socket) => socket.end()],
    ['never answers', (socket) => socket.unref()],
  ])('says in words that we know that a connection %s', async (_what, connected) => {
    const error = await errorOf(connected);
    expect(error).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});

test('Knex names the error of a pool without a free connection', async () => {
  const pool = knex({
    client: 'pg',
    connection: database.url,
    pool: { min: 0, max: 1 },
    log: { error: () => undefined, debug: () => undefined },
  });
  const transaction = await pool.transaction();
  // Only now: on a busy machine, connecting takes longer.
  (pool.client as { pool: { acquireTimeoutMillis: number } }).pool.acquireTimeoutMillis = 100;
  try {
    await expect(pool.raw('select 1')).rejects.toMatchObject({ name: 'KnexTimeoutError' });
  } finally {
    await transaction.rollback();
    await pool.destroy();
  }
});
