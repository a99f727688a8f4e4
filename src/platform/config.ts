/** Reads and checks the environment, once, when a process starts. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  environmentVariables,
  metaOf,
  variableNames,
  type EnvironmentValues,
  type VariableName,
} from './config-table.ts';
import type { ModelPrice, Role } from './config-variables.ts';
import type { OidcSettings } from './oidc.ts';
import { OperatorError } from './operator-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Durations are milliseconds, paths absolute. */
export type Config = Readonly<ReturnType<typeof settingsOf>> & {
  /** No trailing slash. With PORT=0 and no variable it is undefined: the port is known once the API listens. */
  readonly publicUrl: string | undefined;
  /** Whether the public URL comes from its variable. */
  readonly publicUrlConfigured: boolean;
  readonly cacheDirectory: string;
  /** Undefined on a deployment without an OpenID provider. */
  readonly oidc: OidcSettings | undefined;
  /** Undefined on a deployment without judges. */
  readonly judge: JudgeSettings | undefined;
  /** The TEMPORAL_… variables as they were set, for `@temporalio/envconfig`. */
  readonly temporalEnvironment: Readonly<Record<string, string>>;
};

/** Names every variable with a wrong or missing value and what is allowed. Never repeats the value: it may be a secret. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  /** Of its own, so that a supervisor need not try again. */
  override readonly exitCode = 78;
}

/** Reads and checks the variables of this role. Throws ConfigError. An empty variable counts as not set. */
export function loadConfig(environment: Environment, role: Role): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
  const parsed = environmentVariables.safeParse(given);
  const wrong = new Set(parsed.error?.issues.map(({ path }) => path[0]));
  const problems = variableNames().flatMap((name) => {
    const { allowed = 'any text', requiredBy } = metaOf(name);
    if (wrong.has(name)) return [`${name} must be ${allowed}.`];
    if (requiredBy?.includes(role) && given[name] === undefined)
      return [`${name} must be set for \`${role}\`: ${allowed}.`];
    return [];
  });
  problems.push(...missingOf(OIDC_VARIABLES, given), ...missingOf(JUDGE_VARIABLES, given));
  if (parsed.data && pricesUnknownModel(parsed.data))
    problems.push('COUNTERSIGN_JUDGE_PRICES must name models of COUNTERSIGN_JUDGE_MODELS.');
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems.join('\n'));
  const { data } = parsed;
  const host = data.HOST.includes(':') ? `[${data.HOST}]` : data.HOST;
  return {
    ...settingsOf(data),
    publicUrl:
      data.COUNTERSIGN_PUBLIC_URL ?? (data.PORT === 0 ? undefined : `http://${host}:${data.PORT}`),
    publicUrlConfigured: data.COUNTERSIGN_PUBLIC_URL !== undefined,
    oidc: oidcSettings(data),
    judge: judgeSettings(data),
    cacheDirectory: join(data.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'countersign'),
    temporalEnvironment: Object.fromEntries(
      Object.entries(given).filter(([name]) => name.startsWith('TEMPORAL_')),
    ),
  };
}

/** The variables under the names that the code uses. */
function settingsOf(values: EnvironmentValues) {
  return {
    host: values.HOST,
    port: values.PORT,
    dataDirectory: values.COUNTERSIGN_DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databasePool: values.COUNTERSIGN_DATABASE_POOL,
    workerPool: values.COUNTERSIGN_WORKER_POOL,
    temporalAddress: values.TEMPORAL_ADDRESS,
    temporalNamespace: values.TEMPORAL_NAMESPACE,
    temporalUiUrl: values.COUNTERSIGN_TEMPORAL_UI_URL,
    maxCachedWorkflows: values.COUNTERSIGN_MAX_CACHED_WORKFLOWS,
    createBudget: values.COUNTERSIGN_CREATE_BUDGET,
    rules: values.COUNTERSIGN_RULES,
    maxPendingRequests: values.COUNTERSIGN_MAX_PENDING_REQUESTS,
    maxActiveAgents: values.COUNTERSIGN_MAX_ACTIVE_AGENTS,
    rateLimit: values.COUNTERSIGN_RATE_LIMIT,
    agentCredentialLifetime: values.COUNTERSIGN_AGENT_CREDENTIAL_LIFETIME,
    provisionerLifetime: values.COUNTERSIGN_PROVISIONER_LIFETIME,
    maxApiKeyLifetime: values.COUNTERSIGN_MAX_API_KEY_LIFETIME,
    maxSeats: values.COUNTERSIGN_MAX_SEATS,
    edition: values.COUNTERSIGN_EDITION,
    secretsKey: values.COUNTERSIGN_SECRETS_KEY,
    previousSecretsKeys: values.COUNTERSIGN_PREVIOUS_SECRETS_KEYS,
    auditKey: values.COUNTERSIGN_AUDIT_KEY,
    auditSignedFile: values.COUNTERSIGN_AUDIT_SIGNED_FILE,
    auditMail: values.COUNTERSIGN_AUDIT_MAIL,
    smtpUrl: values.SMTP_URL,
    emailFrom: values.COUNTERSIGN_EMAIL_FROM,
    slackApiUrl: values.COUNTERSIGN_SLACK_API_URL,
    trustedProxies: values.COUNTERSIGN_TRUSTED_PROXIES,
    egressAllow: values.COUNTERSIGN_EGRESS_ALLOW,
    pushHosts: values.COUNTERSIGN_PUSH_HOSTS,
    metricsToken: values.COUNTERSIGN_METRICS_TOKEN,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
  };
}

/** These are set together or not at all. */
const OIDC_VARIABLES: readonly VariableName[] = [
  'COUNTERSIGN_OIDC_ISSUER',
  'COUNTERSIGN_OIDC_CLIENT_ID',
  'COUNTERSIGN_OIDC_CLIENT_SECRET',
];

function missingOf(together: readonly VariableName[], given: Environment): string[] {
  const present = together.find((name) => given[name] !== undefined);
  if (present === undefined) return [];
  return together
    .filter((name) => given[name] === undefined)
    .map((name) => `${name} must be set together with ${present}.`);
}

function oidcSettings(values: EnvironmentValues): OidcSettings | undefined {
  const {
    COUNTERSIGN_OIDC_ISSUER: issuer,
    COUNTERSIGN_OIDC_CLIENT_ID: clientId,
    COUNTERSIGN_OIDC_CLIENT_SECRET: clientSecret,
    COUNTERSIGN_OIDC_EMAIL_DOMAINS: emailDomains = [],
    COUNTERSIGN_OIDC_NAME: name,
    COUNTERSIGN_OIDC_TRUST_EMAIL: trustEmail,
  } = values;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    name,
    emailDomains: emailDomains.map((domain) => domain.toLowerCase()),
    trustEmail,
  };
}

const JUDGE_VARIABLES: readonly VariableName[] = [
  'COUNTERSIGN_JUDGE_PROVIDER',
  'COUNTERSIGN_JUDGE_API_KEY',
  'COUNTERSIGN_JUDGE_MODELS',
];

/** What judges ask. */
export interface JudgeSettings {
  readonly provider: 'openai' | 'anthropic';
  /** Ends in one slash. */
  readonly url: string;
  readonly apiKey: string;
  /** Judges that name none use the first. */
  readonly models: readonly string[];
  readonly prices: ReadonlyMap<string, ModelPrice>;
  /** For one organization and day. */
  readonly dailyTokens: number;
}

const JUDGE_URLS = {
  openai: 'https://api.openai.com/v1/',
  anthropic: 'https://api.anthropic.com/',
} as const;

function pricesUnknownModel(values: EnvironmentValues): boolean {
  const { COUNTERSIGN_JUDGE_PRICES: prices, COUNTERSIGN_JUDGE_MODELS: models = [] } = values;
  return prices !== undefined && [...prices.keys()].some((model) => !models.includes(model));
}

function judgeSettings(values: EnvironmentValues): JudgeSettings | undefined {
  const {
    COUNTERSIGN_JUDGE_PROVIDER: provider,
    COUNTERSIGN_JUDGE_API_KEY: apiKey,
    COUNTERSIGN_JUDGE_MODELS: models,
    COUNTERSIGN_JUDGE_PRICES: prices = new Map<string, ModelPrice>(),
    COUNTERSIGN_JUDGE_DAILY_TOKENS: dailyTokens,
  } = values;
  if (provider === undefined || apiKey === undefined || models === undefined) return undefined;
  const url = values.COUNTERSIGN_JUDGE_URL ?? JUDGE_URLS[provider];
  return { provider, url, apiKey, models, prices, dailyTokens };
}
