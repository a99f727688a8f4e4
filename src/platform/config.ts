/** Every environment variable the service reads: one typed table, which also prints the README's section. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ForPeople } from './for-people.ts';

/** What runs: decides which variables must be given. `start` brings servers of its own, the others need to be told. */
export type Role = 'start' | 'api' | 'worker' | 'migrate' | 'bootstrap';

interface Variable<T> {
  readonly name: string;
  readonly type: string;
  /** As one would write it into the environment. */
  readonly default?: string;
  readonly meaning: string;
  /** Completes "… must be". */
  readonly allowed: string;
  readonly requiredBy?: readonly Role[];
  /** Undefined: not allowed. */
  readonly parse: (text: string) => T | undefined;
}

type Description = Pick<Variable<unknown>, 'name' | 'meaning' | 'requiredBy'>;
type WithDefault<T> = Variable<T> & { readonly default: string };

const DURATION_UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function text(description: Description, allowed = 'any text'): Variable<string> {
  return { ...description, type: 'text', allowed, parse: (value) => value };
}

function integer(description: Description & { readonly default: string }, least: number, greatest: number): WithDefault<number> {
  const parse = (value: string): number | undefined => {
    const number = /^(0|[1-9][0-9]*)$/.test(value) ? Number(value) : NaN;
    return number >= least && number <= greatest ? number : undefined;
  };
  return { ...description, type: 'integer', allowed: `a whole number from ${least} to ${greatest}`, parse };
}

/** In milliseconds. */
function duration(description: Description & { readonly default: string }, leastMs: number, greatest: string): WithDefault<number> {
  const read = (value: string): number => {
    const match = /^([1-9][0-9]*)([smh])$/.exec(value);
    return match ? Number(match[1]) * (DURATION_UNITS_MS[match[2] ?? ''] ?? NaN) : NaN;
  };
  const parse = (value: string): number | undefined => {
    const ms = read(value);
    return ms >= leastMs && ms <= read(greatest) ? ms : undefined;
  };
  const allowed = `a duration such as 30s, 15m or 24h, from ${leastMs / 1_000}s to ${greatest}`;
  return { ...description, type: 'duration', allowed, parse };
}

function choice<const T extends string>(description: Description & { readonly default: string }, values: readonly T[]): WithDefault<T> {
  const parse = (value: string): T | undefined => values.find((candidate) => candidate === value);
  return { ...description, type: 'choice', allowed: `one of ${values.join(', ')}`, parse };
}

function databaseUrl(value: string): string | undefined {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol) ? value : undefined;
}

function publicUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, origin, pathname, search, hash, username } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (search !== '' || hash !== '' || username !== '') return undefined;
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function hostAndPort(value: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([1-9][0-9]{0,4})$/.exec(value);
  return match && Number(match[2]) <= 65_535 ? value : undefined;
}

const variables = {
  host: {
    ...text({ name: 'HOST', meaning: 'Address the API listens on. Set it to `0.0.0.0` only behind a proxy that speaks TLS.' }),
    default: '127.0.0.1',
  },
  port: integer({ name: 'PORT', default: '8080', meaning: 'Port the API listens on; 0 takes any free one.' }, 0, 65_535),
  publicUrl: {
    ...text({
      name: 'COUNTERSIGN_PUBLIC_URL',
      meaning: 'Address people and adapters use; every link is built from it. Default: `http://HOST:PORT`.',
    }),
    type: 'URL',
    allowed: 'an http or https URL without credentials, query or fragment',
    parse: publicUrl,
  },
  dataDirectory: {
    ...text({
      name: 'COUNTERSIGN_DATA_DIR',
      meaning: 'Folder of the bootstrap secret and, for `start`, of the embedded servers’ data. One running service per folder.',
    }),
    type: 'path',
    default: '.countersign',
    parse: (value: string) => resolve(value),
  },
  cacheHome: {
    ...text({
      name: 'XDG_CACHE_HOME',
      meaning: 'A Temporal server built or downloaded by `start` is kept in `countersign` below it. Default: `~/.cache`.',
    }),
    type: 'path',
    parse: (value: string) => resolve(value),
  },
  databaseUrl: {
    ...text({
      name: 'DATABASE_URL',
      meaning: 'Postgres 17 or later, encoded in UTF-8. Without it `start` runs a Postgres of its own.',
      requiredBy: ['api', 'worker', 'migrate'],
    }),
    type: 'URL',
    allowed: 'a URL such as postgres://user:password@host:5432/database',
    parse: databaseUrl,
  },
  databasePool: integer(
    { name: 'COUNTERSIGN_DATABASE_POOL', default: '10', meaning: 'Most database connections for answering requests, per process.' },
    1,
    500,
  ),
  workerPool: integer(
    {
      name: 'COUNTERSIGN_WORKER_POOL',
      default: '10',
      meaning: 'Most database connections of the worker, and so the steps it takes at once, per process.',
    },
    1,
    500,
  ),
  temporalAddress: {
    ...text({
      name: 'TEMPORAL_ADDRESS',
      meaning: 'Temporal server. Without it `start` runs one of its own.',
      requiredBy: ['api', 'worker'],
    }),
    type: 'host:port',
    allowed: 'a host and a port, such as temporal.example:7233',
    parse: hostAndPort,
  },
  temporalNamespace: {
    ...text(
      { name: 'TEMPORAL_NAMESPACE', meaning: 'Namespace of the workflows; it is registered when it is missing.' },
      '1 to 255 letters, digits, dots, hyphens and underscores',
    ),
    default: 'countersign',
    parse: (value: string) => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(value) ? value : undefined),
  },
  temporalApiKey: text({
    name: 'TEMPORAL_API_KEY',
    meaning: 'API key for Temporal; switches TLS on unless `TEMPORAL_TLS` says otherwise.',
  }),
  temporalTls: {
    ...text({ name: 'TEMPORAL_TLS', meaning: 'Speak TLS to Temporal.' }),
    type: 'boolean',
    allowed: 'true or false',
    parse: (value: string) => (value === 'true' || value === 'false' ? value === 'true' : undefined),
  },
  temporalTlsServerCa: {
    ...text({ name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH', meaning: 'Certificate authority of the Temporal server, PEM file.' }),
    type: 'path',
  },
  temporalTlsClientCert: {
    ...text({ name: 'TEMPORAL_TLS_CLIENT_CERT_PATH', meaning: 'Client certificate for Temporal, PEM file.' }),
    type: 'path',
  },
  temporalTlsClientKey: {
    ...text({ name: 'TEMPORAL_TLS_CLIENT_KEY_PATH', meaning: 'Key of the client certificate for Temporal, PEM file.' }),
    type: 'path',
  },
  temporalTlsServerName: text({ name: 'TEMPORAL_TLS_SERVER_NAME', meaning: 'Name expected in the Temporal server’s certificate.' }),
  maxCachedWorkflows: integer(
    {
      name: 'COUNTERSIGN_MAX_CACHED_WORKFLOWS',
      default: '600',
      meaning: 'Workflows a worker keeps in memory, some 170 KB each; others are replayed when they continue.',
    },
    2,
    100_000,
  ),
  createBudget: duration(
    {
      name: 'COUNTERSIGN_CREATE_BUDGET',
      default: '5s',
      meaning: 'How long creating a request waits for the pipelines before it answers `pending`.',
    },
    1_000,
    '30s',
  ),
  maxPendingRequests: integer(
    { name: 'COUNTERSIGN_MAX_PENDING_REQUESTS', default: '1000', meaning: 'Requests of an organization that may wait for people at once.' },
    1,
    1_000_000,
  ),
  maxActiveAgents: integer(
    { name: 'COUNTERSIGN_MAX_ACTIVE_AGENTS', default: '100', meaning: 'Agents of an organization that are not archived.' },
    1,
    1_000_000,
  ),
  rateLimit: integer(
    { name: 'COUNTERSIGN_RATE_LIMIT', default: '6000', meaning: 'Calls a minute one credential may make, per process; 0 is no limit.' },
    0,
    1_000_000,
  ),
  agentCredentialLifetime: duration(
    { name: 'COUNTERSIGN_AGENT_CREDENTIAL_LIFETIME', default: '2160h', meaning: 'Default and longest life of an agent credential.' },
    60_000,
    '87600h',
  ),
  logLevel: choice({ name: 'LOG_LEVEL', default: 'info', meaning: 'Least important log line that is written.' }, [
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  ]),
  logFormat: choice(
    { name: 'LOG_FORMAT', default: 'auto', meaning: '`pretty` for people, `json` for machines; `auto` is pretty on a terminal.' },
    ['auto', 'json', 'pretty'],
  ),
};

type Variables = typeof variables;
type ValueOf<V> = V extends { parse: (text: string) => infer T }
  ? V extends { default: string }
    ? Exclude<T, undefined>
    : T | undefined
  : never;

/** Durations are milliseconds, paths absolute. */
export type Config = Readonly<Omit<{ [Key in keyof Variables]: ValueOf<Variables[Key]> }, 'publicUrl' | 'cacheHome'>> & {
  /** No trailing slash. With PORT=0 and no variable it is known only once the API listens: undefined here. */
  readonly publicUrl: string | undefined;
  readonly cacheDirectory: string;
  /** The TEMPORAL_… variables as they were set, for `@temporalio/envconfig`. */
  readonly temporalEnvironment: Readonly<Record<string, string>>;
};

/** Names every variable with a wrong or missing value and what is allowed. Never repeats the value: it may be a secret. */
export class ConfigError extends ForPeople {
  override readonly name = 'ConfigError';
}

/** Reads and checks the variables of this role. Throws ConfigError. An empty variable counts as not set. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>, role: Role): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries<Variable<unknown>>(variables)) {
    const given = environment[variable.name] || variable.default;
    if (given === undefined) {
      if (variable.requiredBy?.includes(role)) problems.push(`${variable.name} must be set for \`${role}\`: ${variable.allowed}.`);
      continue;
    }
    values[key] = variable.parse(given);
    if (values[key] === undefined) problems.push(`${variable.name} must be ${variable.allowed}.`);
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  // The loop above has parsed every entry of the table by its own parser: the mapped type says just that.
  const checked = values as { [Key in keyof Variables]: ValueOf<Variables[Key]> };
  const { cacheHome, ...rest } = checked;
  const host = rest.host.includes(':') ? `[${rest.host}]` : rest.host;
  return {
    ...rest,
    publicUrl: rest.publicUrl ?? (rest.port === 0 ? undefined : `http://${host}:${rest.port}`),
    cacheDirectory: join(cacheHome ?? join(homedir(), '.cache'), 'countersign'),
    temporalEnvironment: temporalVariables(environment),
  };
}

/** Every name of the table. */
export function variableNames(): string[] {
  return Object.values<Variable<unknown>>(variables).map(({ name }) => name);
}

/** The README's configuration table. */
export function configMarkdown(): string {
  const rows = Object.values<Variable<unknown>>(variables).map((variable) => {
    const needed = variable.requiredBy ? ` Needed by ${variable.requiredBy.map((role) => `\`${role}\``).join(', ')}.` : '';
    const allowed = variable.allowed === 'any text' ? '' : ` Allowed: ${variable.allowed}.`;
    const value = variable.default === undefined ? '' : `\`${variable.default}\``;
    return `| \`${variable.name}\` | ${variable.type} | ${value} | ${variable.meaning}${needed}${allowed} |`;
  });
  return ['| Variable | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function temporalVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith('TEMPORAL_') && entry[1] !== undefined && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}
