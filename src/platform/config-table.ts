/** Every environment variable of the service. Its metadata prints docs/operations/configuration.md. */
import { z } from 'zod';
import { isProxyRange } from './network/client-address.ts';
import {
  baseUrl,
  boolean,
  choice,
  databaseUrl,
  duration,
  hostAndPort,
  integer,
  isEmailDomain,
  isModelName,
  isSecretsKey,
  issuer,
  list,
  mailServerUrl,
  matching,
  path,
  prices,
  publicUrl,
  secret,
  secretsKey,
  sender,
  signingKey,
  text,
  type Role,
  type VariableMeta,
} from './config-variables.ts';
import { isHostName } from './network/host-names.ts';
import { isEgressRange } from './network/egress.ts';

const SERVER_ROLES: readonly Role[] = ['api', 'worker'];
const DATABASE_ROLES: readonly Role[] = [...SERVER_ROLES, 'migrate'];

export const environmentVariables = z.object({
  HOST: text().prefault('127.0.0.1').meta({
    description:
      'Address the API listens on. Set it to `0.0.0.0` only behind a proxy that terminates TLS.',
  }),
  PORT: integer(0, 65_535)
    .prefault('8080')
    .meta({ description: 'Port the API listens on. 0 picks a free port.' }),
  COUNTERSIGN_PUBLIC_URL: publicUrl().optional().meta({
    description:
      'Address that people and adapters use. Every link is built from it. When it is set, changes with a session cookie must come from a page of this address, or from a page that the browser itself reports as same-origin. Default: `http://HOST:PORT`.',
  }),
  COUNTERSIGN_DATA_DIR: path().prefault('.countersign').meta({
    description:
      'Folder of the bootstrap secret and, for `start`, of the embedded servers’ data. Each folder serves one running service.',
  }),
  XDG_CACHE_HOME: path().optional().meta({
    description:
      '`start` keeps a Temporal CLI that it downloaded in `countersign` below this folder. Default: `~/.cache`.',
  }),
  DATABASE_URL: databaseUrl().optional().meta({
    description:
      'Postgres 17 or later, encoded in UTF-8. Without it `start` runs its own Postgres.',
    requiredBy: DATABASE_ROLES,
  }),
  COUNTERSIGN_DATABASE_POOL: integer(1, 500)
    .prefault('10')
    .meta({ description: 'Most database connections for serving requests, per process.' }),
  COUNTERSIGN_WORKER_POOL: integer(1, 500).prefault('10').meta({
    description:
      'Most database connections of the worker, per process. The worker runs as many steps at once.',
  }),
  TEMPORAL_ADDRESS: hostAndPort().optional().meta({
    description: 'Temporal server. Without it `start` runs its own.',
    requiredBy: SERVER_ROLES,
  }),
  TEMPORAL_NAMESPACE: matching(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/,
    '1 to 255 letters, digits, dots, hyphens and underscores',
  )
    .prefault('countersign')
    .meta({ description: 'Namespace of the workflows. It is registered when it is missing.' }),
  TEMPORAL_API_KEY: text().optional().meta({
    description: 'API key for Temporal. It switches TLS on unless `TEMPORAL_TLS` is `false`.',
  }),
  TEMPORAL_TLS: boolean().optional().meta({ description: 'Use TLS to connect to Temporal.' }),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: text()
    .optional()
    .meta({ type: 'path', description: 'Certificate authority of the Temporal server, PEM file.' }),
  TEMPORAL_TLS_CLIENT_CERT_PATH: text()
    .optional()
    .meta({ type: 'path', description: 'Client certificate for Temporal, PEM file.' }),
  TEMPORAL_TLS_CLIENT_KEY_PATH: text().optional().meta({
    type: 'path',
    description: 'Key of the client certificate for Temporal, PEM file.',
  }),
  TEMPORAL_TLS_SERVER_NAME: text()
    .optional()
    .meta({ description: 'Name expected in the Temporal server’s certificate.' }),
  COUNTERSIGN_TEMPORAL_UI_URL: publicUrl().optional().meta({
    description:
      'Address of the Temporal UI, for links to the workflow of a request on the system page. Without it there are none, except where `start` runs its own Temporal.',
  }),
  COUNTERSIGN_MAX_CACHED_WORKFLOWS: integer(2, 100_000).prefault('600').meta({
    description:
      'Workflows that a worker keeps in memory, about 170 KB each. The others are replayed when they continue.',
  }),
  COUNTERSIGN_CREATE_BUDGET: duration('1s', '30s').prefault('5s').meta({
    description: 'How long creating a request waits for the pipelines before it returns `pending`.',
  }),
  COUNTERSIGN_RULES: choice('workflow', 'door').prefault('workflow').meta({
    description:
      'Where the pipelines run. `workflow`: in the workflow that each request has. `door`: in the call that creates the request. A request that a rule decides then has no workflow.',
  }),
  COUNTERSIGN_MAX_PENDING_REQUESTS: integer(1, 1_000_000)
    .prefault('1000')
    .meta({ description: 'Requests of an organization that may wait for people at once.' }),
  COUNTERSIGN_MAX_ACTIVE_AGENTS: integer(1, 1_000_000)
    .prefault('100')
    .meta({ description: 'Agents of an organization that are not archived.' }),
  COUNTERSIGN_RATE_LIMIT: integer(0, 1_000_000)
    .prefault('6000')
    .meta({ description: 'Calls a minute per credential and process. 0 means no limit.' }),
  COUNTERSIGN_AGENT_CREDENTIAL_LIFETIME: duration('60s', '87600h')
    .prefault('2160h')
    .meta({ description: 'Default and longest lifetime of an agent credential.' }),
  COUNTERSIGN_PROVISIONER_LIFETIME: duration('60s', '87600h')
    .prefault('8760h')
    .meta({ description: 'Default and longest lifetime of a provisioner token.' }),
  COUNTERSIGN_MAX_API_KEY_LIFETIME: duration('60s', '87600h').optional().meta({
    description:
      'Longest lifetime of a new API key, and the lifetime of a key created without an expiry. Without it a key may live until it is revoked, unless its organization sets a limit.',
  }),
  COUNTERSIGN_MAX_SEATS: integer(1, 1_000_000).prefault('50').meta({
    description: 'Members of an organization that were not removed, plus pending invitations.',
  }),
  COUNTERSIGN_EDITION: choice('open', 'hosted').prefault('open').meta({
    description:
      '`hosted` adds organization API keys, scoped keys, the audit log over HTTP, and judges: rules that ask a language model.',
  }),
  COUNTERSIGN_JUDGE_PROVIDER: choice('openai', 'anthropic').optional().meta({
    description:
      'What judges ask in the hosted edition. `openai`: a server that speaks OpenAI’s chat completions. `anthropic`: one that speaks Anthropic’s messages. Set the key and the models too.',
  }),
  COUNTERSIGN_JUDGE_URL: baseUrl().optional().meta({
    description:
      'Address of that server. Default: `https://api.openai.com/v1/` or `https://api.anthropic.com/`.',
  }),
  COUNTERSIGN_JUDGE_API_KEY: secret().optional().meta({
    description: 'Key of this deployment at that server. Any text for a server that needs none.',
  }),
  COUNTERSIGN_JUDGE_MODELS: list({ allowed: 'names of models between commas' }, isModelName)
    .optional()
    .meta({
      description:
        'Models that judges may name. Judges that name none use the first. A judge with a model that is no longer here sends its requests to people.',
    }),
  COUNTERSIGN_JUDGE_PRICES: prices().optional().meta({
    description:
      'Prices of these models for a million input and a million output tokens. Models without a price have no amount in their cost.',
  }),
  COUNTERSIGN_JUDGE_DAILY_TOKENS: integer(1, 1_000_000_000_000).prefault('1000000').meta({
    description:
      'Tokens that the judges of one organization may take in a day in UTC, input and output together. A judge that would take more sends its requests to people.',
  }),
  COUNTERSIGN_SECRETS_KEY: secretsKey().optional().meta({
    description:
      'Encrypts the secrets that the service must read again, such as those of authenticator apps. `start` with its own Postgres creates a key in the data folder. Without a key, features that need it return 501.',
  }),
  COUNTERSIGN_PREVIOUS_SECRETS_KEYS: list(
    { type: 'secrets', allowed: 'secrets keys between commas' },
    isSecretsKey,
  )
    .optional()
    .meta({
      description:
        'Earlier secrets keys. They are still read until `countersign rotate-secrets` has re-encrypted everything.',
    }),
  COUNTERSIGN_AUDIT_KEY: signingKey().optional().meta({
    description:
      'Signs checkpoints of the audit log and exports with proof. Keep it outside the database. `start` with its own Postgres creates one in the data folder. Without it the log is chained, but nothing is signed.',
  }),
  COUNTERSIGN_AUDIT_SIGNED_FILE: path().optional().meta({
    description:
      'File in which a process keeps what it signed last in the audit log, so that it refuses to sign what does not extend it. It must outlive the process, and be out of reach of those who can write to the database. Processes on one machine may share it. `start` keeps `audit-signed` in the data folder. Without it, a process remembers until it ends.',
  }),
  COUNTERSIGN_AUDIT_MAIL: boolean().prefault('true').meta({
    description:
      'Whether owners get the newest checkpoint of the audit log by email once a week. It needs `SMTP_URL` and a key that signs.',
  }),
  SMTP_URL: mailServerUrl().optional().meta({
    description:
      'Mail server for invitations, password resets and notifications. Without it no email is sent, and the API returns invitation links instead.',
  }),
  COUNTERSIGN_EMAIL_FROM: sender()
    .prefault('Countersign <countersign@localhost>')
    .meta({ description: 'Sender of every message.' }),
  COUNTERSIGN_SLACK_API_URL: baseUrl()
    .prefault('https://slack.com/api/')
    .meta({ description: 'Slack’s Web API. Change it for GovSlack or for tests.' }),
  COUNTERSIGN_OIDC_ISSUER: issuer().optional().meta({
    description:
      'OpenID provider for single sign-on. Register `{COUNTERSIGN_PUBLIC_URL}/auth/oidc/callback` there. Set the client’s id and secret too.',
  }),
  COUNTERSIGN_OIDC_CLIENT_ID: text()
    .optional()
    .meta({ description: 'Id of this deployment at the OpenID provider.' }),
  COUNTERSIGN_OIDC_CLIENT_SECRET: secret()
    .optional()
    .meta({ description: 'Secret of this deployment at the OpenID provider.' }),
  COUNTERSIGN_OIDC_EMAIL_DOMAINS: list(
    { allowed: 'domains between commas, such as example.com' },
    isEmailDomain,
  )
    .optional()
    .meta({
      description:
        'People with a verified email of exactly these domains become members without any permission at their first sign-in. Without it only existing members can sign in through the provider.',
    }),
  COUNTERSIGN_OIDC_TRUST_EMAIL: choice('verified', 'issuer').prefault('verified').meta({
    description:
      'Which emails of the OpenID provider identify people. `verified`: those that it says it has verified. `issuer`: also those of which it does not say whether they are. Set it only for a provider whose administrators assign every email.',
  }),
  COUNTERSIGN_OIDC_NAME: text()
    .prefault('Single sign-on')
    .meta({ description: 'Name of the OpenID provider on the sign-in button.' }),
  COUNTERSIGN_TRUSTED_PROXIES: list(
    { type: 'addresses', allowed: 'addresses and ranges such as 10.0.0.0/8 between commas' },
    isProxyRange,
  )
    .optional()
    .meta({
      description:
        'Proxies in front of the service. Their `X-Forwarded-For` names the client for the limit of sign-in attempts and the lists of sessions. From other senders the header is ignored.',
    }),
  COUNTERSIGN_EGRESS_ALLOW: list(
    { type: 'addresses', allowed: 'addresses and ranges such as 10.20.0.0/16 between commas' },
    isEgressRange,
  )
    .optional()
    .meta({
      description:
        'Private networks that webhooks may reach, over http too. Everything else must be https towards the public internet.',
    }),
  COUNTERSIGN_PUSH_HOSTS: list({ allowed: 'host names between commas' }, isHostName)
    .optional()
    .meta({
      description:
        'Push services that browsers may name in addition to those of Google, Mozilla, Apple and Microsoft. Push messages go nowhere else.',
    }),
  COUNTERSIGN_METRICS_TOKEN: secret().optional().meta({
    description:
      '`/metrics` requires it as `Authorization: Bearer …`. Without a token, `/metrics` is served only while no public URL is set.',
  }),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .prefault('info')
    .meta({ description: 'Least important log line that is written.' }),
  LOG_FORMAT: choice('auto', 'json', 'pretty').prefault('auto').meta({
    description: '`pretty` for people, `json` for machines; `auto` is pretty on a terminal.',
  }),
});

export type EnvironmentValues = z.output<typeof environmentVariables>;
export type VariableName = keyof EnvironmentValues;

export function variableNames(): VariableName[] {
  return environmentVariables.keyof().options;
}

/** The metadata of a variable over that of its kind. */
export function metaOf(name: VariableName): VariableMeta {
  const schema = environmentVariables.shape[name];
  return { ...schema.def.innerType.meta(), ...schema.meta() };
}

/** The configuration reference as a Markdown table. */
export function configMarkdown(): string {
  const rows = variableNames().map((name) => {
    const { def } = environmentVariables.shape[name];
    const { type, allowed, description, requiredBy } = metaOf(name);
    const value = 'defaultValue' in def ? `\`${def.defaultValue}\`` : '';
    const needed = requiredBy?.map((role) => `\`${role}\``).join(', ');
    const meaning = [
      description,
      needed && `Needed by ${needed}.`,
      allowed && `Allowed: ${allowed}.`,
    ];
    return `| \`${name}\` | ${type} | ${value} | ${meaning.filter(Boolean).join(' ')} |`;
  });
  return ['| Variable | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}
