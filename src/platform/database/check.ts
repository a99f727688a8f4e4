/** Looks at a database before the service uses it, and says in one sentence what is wrong. */
import pg from 'pg';
import { ConfigError } from '../config.ts';
import { OperatorError } from '../operator-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const LEAST_VERSION = 17;
const ROUNDS = 5;

/** `migrate` makes tables, `serve` writes into them. */
export type DatabaseUse = 'migrate' | 'serve' | 'read';

/** Throws ConfigError, or OperatorError for what may be over soon. */
export async function checkDatabase(databaseUrl: string, use: DatabaseUse): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    const [first, second] = [
      await connect(databaseUrl, clients),
      await connect(databaseUrl, clients),
    ];
    const problem = (await problemOf(first, use)) ?? (await poolingProblem(first, second));
    if (problem !== undefined) throw new ConfigError(`${nameOf(databaseUrl)} ${problem}`);
  } catch (error) {
    throw error instanceof OperatorError ? error : explained(error, databaseUrl);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function connect(connectionString: string, clients: pg.Client[]): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'countersign-check',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    // The driver leaves the socket open when TLS is refused.
    client.connection.stream.destroy();
    throw error;
  }
  clients.push(client);
  return client;
}

interface Facts {
  readonly version: string;
  readonly encoding: string;
  readonly role: string;
  readonly may_create: boolean;
  readonly closed_table: string | null;
}

async function problemOf(client: pg.Client, use: DatabaseUse): Promise<string | undefined> {
  const { rows } = await client.query<Facts>(`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
      current_user as role, coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
      (select min(relname) from pg_class
        where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p')
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert'))) as closed_table`);
  return rows[0] && problemIn(rows[0], use);
}

export function problemIn(facts: Facts, use: DatabaseUse): string | undefined {
  if (Number.parseInt(facts.version, 10) < LEAST_VERSION)
    return `is Postgres ${facts.version}. Countersign needs version ${LEAST_VERSION} or later.`;
  if (facts.encoding !== 'UTF8')
    return `is encoded in ${facts.encoding}. Create one with \`create database … encoding 'UTF8' template template0\`.`;
  if (use === 'migrate' && !facts.may_create)
    return `does not let role ${facts.role} create tables. Grant it CREATE on the first schema of its search_path.`;
  if (use === 'serve' && facts.closed_table !== null)
    return `does not let role ${facts.role} read and write table ${facts.closed_table}. Use the role that ran \`countersign migrate\`, or grant its rights.`;
  return undefined;
}

/** Two open connections have the same server process only where a pooler shares it between transactions. */
async function poolingProblem(first: pg.Client, second: pg.Client): Promise<string | undefined> {
  const pid = async (client: pg.Client): Promise<unknown> =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await pid(first)) === (await pid(second)))
      return 'is behind a pooler in transaction or statement mode, where settings, locks and LISTEN get lost. Set pool_mode = session for it, or connect to Postgres itself.';
  }
  return undefined;
}

/** Where the database is, without the password. */
function nameOf(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const host = hostname === '' ? 'a socket' : decodeURIComponent(hostname);
  return `The database ${decodeURIComponent(pathname.slice(1))} at ${host}${port && `:${port}`}`;
}

const MAY_PASS = /^(53|57P0)/;

/** By code or message of the driver, of Node and of OpenSSL: what to do about it. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'Check the name of the host.'],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|timeout/,
    'Check host and port, and that the server runs.',
  ],
  [/connect (ENOENT|EACCES)/, 'Check the folder of the socket.'],
  [/ERR_TLS_CERT_ALTNAME/, 'Use the host name that its certificate has.'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO/,
    'Name the file of its certificate authority: ?sslmode=verify-full&sslrootcert=/path/ca.pem.',
  ],
  [/does not support SSL/, 'Turn on TLS there, or leave sslmode out.'],
  [/no encryption|SSL off/, 'Add ?sslmode=verify-full to the URL.'],
  [/28P01|SASL/, 'Check user and password.'],
  [
    /open '|EISDIR|PEM|ERR_OSSL/,
    'Check sslrootcert, sslcert and sslkey: files in PEM that this user can read.',
  ],
  [/3D000|no such database/, 'Create it, or correct its name.'],
  [/42501/, 'Grant the role CONNECT on it.'],
];

function explained(error: unknown, databaseUrl: string): OperatorError {
  const { code = '', message } = error as { readonly code?: string; readonly message: string };
  // Node reports the addresses that it tried in vain as one error without a text.
  const reason = (message || code).replace(/\.$/, '');
  const advice = ADVICE.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
  const text = `${nameOf(databaseUrl)} cannot be used: ${reason}.${advice === undefined ? '' : ` ${advice}`}`;
  return MAY_PASS.test(code) ? new OperatorError(text) : new ConfigError(text);
}
