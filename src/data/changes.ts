/** NOTIFY and LISTEN: how processes notify each other of changed rows. */
import pg from 'pg';
import { prepareSession } from '../platform/database/sessions.ts';
import type { Db } from '../platform/postgres.ts';

const CHANNEL = 'countersign_changes';
/** The name of that connection in `pg_stat_activity`. */
export const LISTENER = 'countersign-listener';
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Sends a payload of at most 8,000 bytes to every listening process. Never inside a transaction: it
 * serializes commits.
 */
export async function notifyChanges(db: Db, payload: string): Promise<void> {
  await db.raw('select pg_notify(:channel, :payload)', { channel: CHANNEL, payload });
}

export interface ChangeConnection {
  /** Closes the connection and ends the wait for its loss. */
  end(): Promise<void>;
}

interface ListenerEvents {
  opened(connection: ChangeConnection): void;
  subscribed(): Promise<void>;
  changed(payload: string): void;
}

/**
 * The life of a dedicated connection: resolves when it is lost, throws when it cannot be made.
 */
export async function listenForChanges(databaseUrl: string, events: ListenerEvents): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: LISTENER,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  events.opened(client);
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve);
    // Stays registered: a lost connection may report errors twice, and an unhandled one ends the process.
    client.on('error', () => {
      resolve();
    });
  });
  client.on('notification', ({ payload }) => {
    events.changed(payload ?? '');
  });
  // A client that is ended while it connects never reports that, so the race ends the wait.
  await Promise.race([client.connect(), lost]);
  await Promise.race([prepareSession(client), lost]);
  await Promise.race([client.query(`listen ${CHANNEL}`), lost]);
  await events.subscribed();
  await lost;
  await client.end().catch(() => undefined);
}
