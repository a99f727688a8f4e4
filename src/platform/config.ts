/** Every environment variable the service reads: one typed table, which also prints the README's section. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  choice,
  databaseUrl,
  duration,
  hostAndPort,
  integer,
  isEmailDomain,
  isSecretsKey,
  issuer,
  list,
  mailServerUrl,
  optionalDuration,
  publicUrl,
  text,
  type Role,
  type Variable,
} from './config-variables.ts';
import { isNetwork } from './client-address.ts';
import { isRange } from './egress.ts';
import { OperatorError } from './operator-error.ts';
import type { OidcSettings } from './oidc.ts';

const variables = {
  host: {
    ...text({
      name: 'HOST',
      meaning:
        'Address the API listens on. Set it to `0.0.0.0` only behind a proxy that speaks TLS.',
    }),
    default: '127.0.0.1',
  },
  port: integer(
    { name: 'PORT', default: '8080', meaning: 'Port the API listens on; 0 takes any free one.' },
    0,
    65_535,
  ),
  publicUrl: {
    ...text({
      name: 'COUNTERSIGN_PUBLIC_URL',
      meaning:
        'Address people and adapters use; every link is built from it. Default: `http://HOST:PORT`.',
    }),
    type: 'URL',
    allowed: 'an http or https URL without credentials, query or fragment',
    parse: publicUrl,
  },
  dataDirectory: {
    ...text({
      name: 'COUNTERSIGN_DATA_DIR',
      meaning:
        'Folder of the bootstrap secret and, for `start`, of the embedded servers’ data. One running service per folder.',
    }),
    type: 'path',
    default: '.countersign',
    parse: (value: string) => resolve(value),
  },
  cacheHome: {
    ...text({
      name: 'XDG_CACHE_HOME',
      meaning:
        'A Temporal server built or downloaded by `start` is kept in `countersign` below it. Default: `~/.cache`.',
    }),
    type: 'path',
    parse: (value: string) => resolve(value),
  },
  databaseUrl: {
    ...text({
      name: 'DATABASE_URL',
      meaning:
        'Postgres 17 or later, encoded in UTF-8. Without it `start` runs a Postgres of its own.',
      requiredBy: ['api', 'worker', 'migrate'],
    }),
    type: 'URL',
    allowed: 'a URL such as postgres://user:password@host:5432/database',
    parse: databaseUrl,
  },
  databasePool: integer(
    {
      name: 'COUNTERSIGN_DATABASE_POOL',
      default: '10',
      meaning: 'Most database connections for answering requests, per process.',
    },
    1,
    500,
  ),
  workerPool: integer(
    {
      name: 'COUNTERSIGN_WORKER_POOL',
      default: '10',
      meaning:
        'Most database connections of the worker, and so the steps it takes at once, per process.',
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
      {
        name: 'TEMPORAL_NAMESPACE',
        meaning: 'Namespace of the workflows; it is registered when it is missing.',
      },
      '1 to 255 letters, digits, dots, hyphens and underscores',
    ),
    default: 'countersign',
    parse: (value: string) =>
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(value) ? value : undefined,
  },
  temporalApiKey: text({
    name: 'TEMPORAL_API_KEY',
    meaning: 'API key for Temporal; switches TLS on unless `TEMPORAL_TLS` says otherwise.',
  }),
  temporalTls: {
    ...text({ name: 'TEMPORAL_TLS', meaning: 'Speak TLS to Temporal.' }),
    type: 'boolean',
    allowed: 'true or false',
    parse: (value: string) =>
      value === 'true' || value === 'false' ? value === 'true' : undefined,
  },
  temporalTlsServerCa: {
    ...text({
      name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
      meaning: 'Certificate authority of the Temporal server, PEM file.',
    }),
    type: 'path',
  },
  temporalTlsClientCert: {
    ...text({
      name: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
      meaning: 'Client certificate for Temporal, PEM file.',
    }),
    type: 'path',
  },
  temporalTlsClientKey: {
    ...text({
      name: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
      meaning: 'Key of the client certificate for Temporal, PEM file.',
    }),
    type: 'path',
  },
  temporalTlsServerName: text({
    name: 'TEMPORAL_TLS_SERVER_NAME',
    meaning: 'Name expected in the Temporal server’s certificate.',
  }),
  maxCachedWorkflows: integer(
    {
      name: 'COUNTERSIGN_MAX_CACHED_WORKFLOWS',
      default: '600',
      meaning:
        'Workflows a worker keeps in memory, some 170 KB each; others are replayed when they continue.',
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
    {
      name: 'COUNTERSIGN_MAX_PENDING_REQUESTS',
      default: '1000',
      meaning: 'Requests of an organization that may wait for people at once.',
    },
    1,
    1_000_000,
  ),
  maxActiveAgents: integer(
    {
      name: 'COUNTERSIGN_MAX_ACTIVE_AGENTS',
      default: '100',
      meaning: 'Agents of an organization that are not archived.',
    },
    1,
    1_000_000,
  ),
  rateLimit: integer(
    {
      name: 'COUNTERSIGN_RATE_LIMIT',
      default: '6000',
      meaning: 'Calls a minute one credential may make, per process; 0 is no limit.',
    },
    0,
    1_000_000,
  ),
  agentCredentialLifetime: duration(
    {
      name: 'COUNTERSIGN_AGENT_CREDENTIAL_LIFETIME',
      default: '2160h',
      meaning: 'Default and longest life of an agent credential.',
    },
    60_000,
    '87600h',
  ),
  maxApiKeyLifetime: optionalDuration(
    {
      name: 'COUNTERSIGN_MAX_API_KEY_LIFETIME',
      meaning:
        'Longest life of a new API key, and the life of one minted without an end. Without it a key may live until it is revoked, unless its organization says otherwise.',
    },
    60_000,
    '87600h',
  ),
  maxSeats: integer(
    {
      name: 'COUNTERSIGN_MAX_SEATS',
      default: '50',
      meaning: 'Members of an organization who were not removed, and pending invitations.',
    },
    1,
    1_000_000,
  ),
  edition: choice(
    {
      name: 'COUNTERSIGN_EDITION',
      default: 'open',
      meaning: '`hosted` adds organization API keys and keys narrowed to chosen permissions.',
    },
    ['open', 'hosted'],
  ),
  secretsKey: {
    ...text({
      name: 'COUNTERSIGN_SECRETS_KEY',
      meaning:
        'Encrypts the secrets the service must be able to read again, such as those of authenticator apps. `start` on its own Postgres makes one and keeps it in the data folder; without one what needs it answers 501.',
    }),
    type: 'secret',
    allowed: '32 random bytes in base64 (`openssl rand -base64 32`)',
    parse: (value: string) => (isSecretsKey(value) ? value : undefined),
  },
  previousSecretsKeys: {
    ...list(
      {
        name: 'COUNTERSIGN_PREVIOUS_SECRETS_KEYS',
        meaning:
          'Earlier secrets keys, still read until `countersign rotate-secrets` has encrypted everything anew.',
      },
      'secrets keys between commas',
      isSecretsKey,
    ),
    type: 'secrets',
  },
  smtpUrl: {
    ...text({
      name: 'SMTP_URL',
      meaning:
        'Mail server for invitations and password resets. Without it invitation links are shown instead.',
    }),
    type: 'URL',
    allowed: 'a URL such as smtps://user:password@mail.example:465',
    parse: mailServerUrl,
  },
  emailFrom: {
    ...text(
      { name: 'COUNTERSIGN_EMAIL_FROM', meaning: 'Sender of every message.' },
      'an address such as countersign@example.com, or `Name <address>`',
    ),
    default: 'Countersign <countersign@localhost>',
    parse: (value: string) =>
      /^[^\r\n<>]*<?[^\s<>@]+@[^\s<>@]+>?$/.test(value) ? value : undefined,
  },
  slackApiUrl: {
    ...text({
      name: 'COUNTERSIGN_SLACK_API_URL',
      meaning: 'Slack’s Web API; another one for GovSlack, or for tests.',
    }),
    type: 'URL',
    allowed: 'an https URL without query or fragment; http only on this machine',
    default: 'https://slack.com/api/',
    parse: (value: string) => issuer(value)?.replace(/\/*$/, '/'),
  },
  oidcIssuer: {
    ...text({
      name: 'COUNTERSIGN_OIDC_ISSUER',
      meaning:
        'OpenID provider through which people may sign in; register `{COUNTERSIGN_PUBLIC_URL}/auth/oidc/callback` there. Needs the client’s id and secret too.',
    }),
    type: 'URL',
    allowed:
      'an https URL without query or fragment, exactly as the provider names itself; http only on this machine',
    parse: issuer,
  },
  oidcClientId: text({
    name: 'COUNTERSIGN_OIDC_CLIENT_ID',
    meaning: 'Id of this deployment at the OpenID provider.',
  }),
  oidcClientSecret: {
    ...text({
      name: 'COUNTERSIGN_OIDC_CLIENT_SECRET',
      meaning: 'Secret of this deployment at the OpenID provider.',
    }),
    type: 'secret',
  },
  oidcEmailDomains: list(
    {
      name: 'COUNTERSIGN_OIDC_EMAIL_DOMAINS',
      meaning:
        'Whom the OpenID provider may let in: people with a verified email of exactly these domains, who become members without any permission when they first sign in. Without it only people who are members already.',
    },
    'domains between commas, such as example.com',
    isEmailDomain,
  ),
  oidcName: {
    ...text({
      name: 'COUNTERSIGN_OIDC_NAME',
      meaning: 'Name of the OpenID provider on the sign-in button.',
    }),
    default: 'Single sign-on',
  },
  trustedProxies: {
    ...list(
      {
        name: 'COUNTERSIGN_TRUSTED_PROXIES',
        meaning:
          'Proxies in front of the service whose `X-Forwarded-For` names the client, as the limit of sign-in attempts and the lists of sessions see it. Of anybody else the header is ignored.',
      },
      'addresses and ranges such as 10.0.0.0/8 between commas',
      isNetwork,
    ),
    type: 'addresses',
  },
  egressAllow: {
    ...list(
      {
        name: 'COUNTERSIGN_EGRESS_ALLOW',
        meaning:
          'Networks webhooks may be sent to although they are not public, over http too. Everything else must be https towards the public internet.',
      },
      'addresses and ranges such as 10.20.0.0/16 between commas',
      isRange,
    ),
    type: 'addresses',
  },
  logLevel: choice(
    { name: 'LOG_LEVEL', default: 'info', meaning: 'Least important log line that is written.' },
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  ),
  logFormat: choice(
    {
      name: 'LOG_FORMAT',
      default: 'auto',
      meaning: '`pretty` for people, `json` for machines; `auto` is pretty on a terminal.',
    },
    ['auto', 'json', 'pretty'],
  ),
};

type Variables = typeof variables;
type ValueOf<V> = V extends { parse: (text: string) => infer T }
  ? V extends { default: string }
    ? Exclude<T, undefined>
    : T | undefined
  : never;

type Values = { [Key in keyof Variables]: ValueOf<Variables[Key]> };
type OidcVariables = Pick<
  Values,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcEmailDomains' | 'oidcName'
>;

/** Durations are milliseconds, paths absolute. */
export type Config = Readonly<Omit<Values, 'publicUrl' | 'cacheHome' | keyof OidcVariables>> & {
  /** No trailing slash. With PORT=0 and no variable it is known only once the API listens: undefined here. */
  readonly publicUrl: string | undefined;
  readonly cacheDirectory: string;
  /** Undefined on a deployment without an OpenID provider. */
  readonly oidc: OidcSettings | undefined;
  /** The TEMPORAL_… variables as they were set, for `@temporalio/envconfig`. */
  readonly temporalEnvironment: Readonly<Record<string, string>>;
};

/** Names every variable with a wrong or missing value and what is allowed. Never repeats the value: it may be a secret. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

/** Reads and checks the variables of this role. Throws ConfigError. An empty variable counts as not set. */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  role: Role,
): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries<Variable<unknown>>(variables)) {
    const given = environment[variable.name] || variable.default;
    if (given === undefined) {
      if (variable.requiredBy?.includes(role))
        problems.push(`${variable.name} must be set for \`${role}\`: ${variable.allowed}.`);
      continue;
    }
    values[key] = variable.parse(given);
    if (values[key] === undefined) problems.push(`${variable.name} must be ${variable.allowed}.`);
  }
  problems.push(...missingOf(['oidcIssuer', 'oidcClientId', 'oidcClientSecret'], values));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  // The loop above has parsed every entry of the table by its own parser: the mapped type says just that.
  const checked = values as Values;
  const {
    cacheHome,
    oidcIssuer,
    oidcClientId,
    oidcClientSecret,
    oidcEmailDomains,
    oidcName,
    ...rest
  } = checked;
  const host = rest.host.includes(':') ? `[${rest.host}]` : rest.host;
  return {
    ...rest,
    publicUrl: rest.publicUrl ?? (rest.port === 0 ? undefined : `http://${host}:${rest.port}`),
    oidc: oidcSettings({ oidcIssuer, oidcClientId, oidcClientSecret, oidcEmailDomains, oidcName }),
    cacheDirectory: join(cacheHome ?? join(homedir(), '.cache'), 'countersign'),
    temporalEnvironment: temporalVariables(environment),
  };
}

/** A sentence for each of the variables that is not set while another one is: they go together. */
function missingOf(
  together: readonly (keyof Variables)[],
  values: Readonly<Record<string, unknown>>,
): string[] {
  const [given, missing] = [
    together.filter((key) => key in values),
    together.filter((key) => !(key in values)),
  ];
  const [first] = given;
  return first === undefined
    ? []
    : missing.map(
        (key) => `${variables[key].name} must be set together with ${variables[first].name}.`,
      );
}

function oidcSettings(given: OidcVariables): OidcSettings | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = given;
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined)
    return undefined;
  const emailDomains = (given.oidcEmailDomains ?? []).map((domain) => domain.toLowerCase());
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    name: given.oidcName,
    emailDomains,
  };
}

/** Every name of the table. */
export function variableNames(): string[] {
  return Object.values<Variable<unknown>>(variables).map(({ name }) => name);
}

/** The README's configuration table. */
export function configMarkdown(): string {
  const rows = Object.values<Variable<unknown>>(variables).map((variable) => {
    const needed = variable.requiredBy
      ? ` Needed by ${variable.requiredBy.map((role) => `\`${role}\``).join(', ')}.`
      : '';
    const allowed = variable.allowed === 'any text' ? '' : ` Allowed: ${variable.allowed}.`;
    const value = variable.default === undefined ? '' : `\`${variable.default}\``;
    return `| \`${variable.name}\` | ${variable.type} | ${value} | ${variable.meaning}${needed}${allowed} |`;
  });
  return ['| Variable | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function temporalVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith('TEMPORAL_') && entry[1] !== undefined && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}
