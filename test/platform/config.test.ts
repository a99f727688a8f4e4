import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { configMarkdown, variableNames } from '../../src/platform/config-table.ts';
import { ConfigError, loadConfig } from '../../src/platform/config.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

const SERVERS = {
  DATABASE_URL: 'postgres://u:p@db:5432/countersign',
  TEMPORAL_ADDRESS: 'temporal:7233',
};

describe('configuration', () => {
  test('needs nothing to start with its own servers', () => {
    const config = loadConfig({}, 'start');
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://127.0.0.1:8080',
      temporalNamespace: 'countersign',
      createBudget: 5_000,
      agentCredentialLifetime: 90 * 24 * 3_600_000,
      logFormat: 'auto',
    });
    expect(config.databaseUrl ?? config.temporalAddress).toBeUndefined();
    expect(config.dataDirectory).toMatch(/^\/.*\.countersign$/);
  });

  test.each([
    ['HOST', '', '127.0.0.1'],
    ['COUNTERSIGN_PUBLIC_URL', '', 'http://127.0.0.1:8080'],
  ])('treats an empty %s as not set', (name, value, expected) => {
    const config = loadConfig({ [name]: value }, 'start');
    expect([config.host, config.publicUrl]).toContain(expected);
  });

  test('limits the lifetime of API keys only when set', () => {
    expect(loadConfig({}, 'start').maxApiKeyLifetime).toBeUndefined();
    expect(
      loadConfig({ COUNTERSIGN_MAX_API_KEY_LIFETIME: '720h' }, 'start').maxApiKeyLifetime,
    ).toBe(720 * 3_600_000);
  });

  describe('of judges', () => {
    const JUDGE = {
      COUNTERSIGN_JUDGE_PROVIDER: 'openai',
      COUNTERSIGN_JUDGE_API_KEY: 'hunter2',
      COUNTERSIGN_JUDGE_MODELS: 'gpt-5-mini, org/large:latest',
    };
    const judgeOf = (more: object = {}) => loadConfig({ ...JUDGE, ...more }, 'start').judge;

    test('is absent or complete', () => {
      expect(loadConfig({}, 'start').judge).toBeUndefined();
      expect(judgeOf()).toEqual({
        ...{ provider: 'openai', url: 'https://api.openai.com/v1/', apiKey: 'hunter2' },
        models: ['gpt-5-mini', 'org/large:latest'],
        ...{ prices: new Map(), dailyTokens: 1_000_000 },
      });
      expect(() => judgeOf({ COUNTERSIGN_JUDGE_MODELS: '' })).toThrow('COUNTERSIGN_JUDGE_MODELS');
    });

    test('has exact prices of its models', () => {
      const COUNTERSIGN_JUDGE_PRICES = 'gpt-5-mini=0.25/2.00 USD, org/large:latest=3/15 EUR';
      expect(judgeOf({ COUNTERSIGN_JUDGE_PRICES })?.prices).toEqual(
        new Map([
          ['gpt-5-mini', { input: '0.25', output: '2.00', currency: 'USD' }],
          ['org/large:latest', { input: '3', output: '15', currency: 'EUR' }],
        ]),
      );
    });

    test.each([
      'gpt-5-mini=0.25 USD',
      'gpt-5-mini=0.25/2',
      'gpt-5-mini=-1/2 USD',
      'gpt-5-mini=1/2 USD,gpt-5-mini=1/2 USD',
      'gpt-9=1/2 USD',
    ])('refuses the prices %s', (COUNTERSIGN_JUDGE_PRICES) => {
      expect(() => judgeOf({ COUNTERSIGN_JUDGE_PRICES })).toThrow('COUNTERSIGN_JUDGE_PRICES');
    });
  });

  describe('of an identity provider', () => {
    const OIDC = {
      COUNTERSIGN_OIDC_ISSUER: 'https://login.example/tenant/',
      COUNTERSIGN_OIDC_CLIENT_ID: 'countersign',
      COUNTERSIGN_OIDC_CLIENT_SECRET: 'hunter2',
    };

    test('is absent or complete: issuer as written, domains in lower case, a name for the button', () => {
      expect(loadConfig({ COUNTERSIGN_OIDC_NAME: 'Acme' }, 'start').oidc).toBeUndefined();
      const settings = {
        issuer: 'https://login.example/tenant/',
        clientId: 'countersign',
        clientSecret: 'hunter2',
      };
      expect(loadConfig(OIDC, 'start').oidc).toEqual({
        ...settings,
        name: 'Single sign-on',
        emailDomains: [],
        trustEmail: 'verified',
      });
      const more = {
        ...OIDC,
        COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'Example.com, works.example',
        COUNTERSIGN_OIDC_NAME: 'Acme',
        COUNTERSIGN_OIDC_TRUST_EMAIL: 'issuer',
      };
      expect(loadConfig(more, 'start').oidc).toEqual({
        ...settings,
        name: 'Acme',
        emailDomains: ['example.com', 'works.example'],
        trustEmail: 'issuer',
      });
    });

    test.each(Object.keys(OIDC))('is incomplete without %s, and the error names it', (missing) => {
      const load = () => loadConfig({ ...OIDC, [missing]: '' }, 'start');
      expect(load).toThrow(ConfigError);
      expect(load).toThrow(
        new RegExp(`^${missing} must be set together with COUNTERSIGN_OIDC_[A-Z_]+\\.$`),
      );
      expect(load).not.toThrow(/hunter2/);
    });

    test('is incomplete with one of them, and the error names the others', () => {
      const load = () => loadConfig({ COUNTERSIGN_OIDC_CLIENT_SECRET: 'hunter2' }, 'start');
      expect(load).toThrow(
        /^COUNTERSIGN_OIDC_ISSUER must be set .*\nCOUNTERSIGN_OIDC_CLIENT_ID must be set [^\n]*$/,
      );
    });

    test.each([
      'http://localhost:4000',
      'http://127.0.0.1:4000',
      'http://[::1]:4000',
      'https://login.example',
    ])('may have the issuer %s', (issuer) => {
      expect(loadConfig({ ...OIDC, COUNTERSIGN_OIDC_ISSUER: issuer }, 'start').oidc?.issuer).toBe(
        issuer,
      );
    });

    test.each([
      ['COUNTERSIGN_OIDC_ISSUER', 'http://login.example'],
      ['COUNTERSIGN_OIDC_ISSUER', 'http://localhost.evil.example'],
      ['COUNTERSIGN_OIDC_ISSUER', 'http://127.0.0.1.evil.example'],
      ['COUNTERSIGN_OIDC_ISSUER', 'https://user:word@login.example'],
      ['COUNTERSIGN_OIDC_ISSUER', 'https://login.example?tenant=1'],
      ['COUNTERSIGN_OIDC_ISSUER', 'login.example'],
      ['COUNTERSIGN_OIDC_EMAIL_DOMAINS', '@example.com'],
      ['COUNTERSIGN_OIDC_EMAIL_DOMAINS', '*.example.com'],
      ['COUNTERSIGN_OIDC_EMAIL_DOMAINS', 'example.com,'],
      ['COUNTERSIGN_OIDC_EMAIL_DOMAINS', 'example..com'],
      ['COUNTERSIGN_OIDC_EMAIL_DOMAINS', 'ex\u0430mple.com'],
    ])('is refused with %s=%s', (name, value) => {
      expect(() => loadConfig({ ...OIDC, [name]: value }, 'start')).toThrow(
        new RegExp(`^${name} must be `),
      );
    });
  });

  test.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '08'],
    ['PORT', ' 80'],
    ['COUNTERSIGN_PUBLIC_URL', 'approvals.example'],
    ['COUNTERSIGN_PUBLIC_URL', 'ftp://approvals.example'],
    ['COUNTERSIGN_PUBLIC_URL', 'https://approvals.example/?a=b'],
    ['COUNTERSIGN_PUBLIC_URL', 'https://approvals.example/team'],
    ['COUNTERSIGN_PUBLIC_URL', 'https://approvals.example/team/'],
    ['COUNTERSIGN_PUBLIC_URL', 'https://approvals.example:0'],
    ['COUNTERSIGN_PUBLIC_URL', 'https://approvals-.example'],
    ['COUNTERSIGN_PUBLIC_URL', 'https://-approvals.example'],
    ['COUNTERSIGN_SLACK_API_URL', 'https://slack.example:0/api'],
    ['COUNTERSIGN_SLACK_API_URL', 'https://slack.example-/api'],
    ['COUNTERSIGN_EMAIL_FROM', 'countersign@mail-.example'],
    ['COUNTERSIGN_EMAIL_FROM', 'Countersign <countersign@mail.example->'],
    ['COUNTERSIGN_EMAIL_FROM', 'countersign@mail..example'],
    ['SMTP_URL', 'smtp://mail.example:0'],
    ['SMTP_URL', 'smtps://mail-.example'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'postgres://u:p@db:0/x'],
    ['DATABASE_URL', 'postgres://u:p@db-/x'],
    ['DATABASE_URL', 'postgres:///x?host=/run/postgresql&port=0'],
    ['TEMPORAL_ADDRESS', 'temporal'],
    ['TEMPORAL_ADDRESS', 'http://temporal:7233'],
    ['TEMPORAL_ADDRESS', 'temporal:99999'],
    ['TEMPORAL_ADDRESS', 'temporal:0'],
    ['TEMPORAL_ADDRESS', 'temporal-:7233'],
    ['TEMPORAL_ADDRESS', 'temporal.-example:7233'],
    ['TEMPORAL_NAMESPACE', 'a b'],
    ['TEMPORAL_TLS', 'yes'],
    ['COUNTERSIGN_RULES', 'workflows'],
    ['COUNTERSIGN_CREATE_BUDGET', '5'],
    ['COUNTERSIGN_CREATE_BUDGET', '500ms'],
    ['COUNTERSIGN_CREATE_BUDGET', '31s'],
    ['COUNTERSIGN_MAX_PENDING_REQUESTS', '0'],
    ['COUNTERSIGN_MAX_PENDING_REQUESTS', '1e3'],
    ['COUNTERSIGN_AGENT_CREDENTIAL_LIFETIME', '90d'],
    ['COUNTERSIGN_MAX_API_KEY_LIFETIME', '0h'],
    ['COUNTERSIGN_MAX_API_KEY_LIFETIME', '59s'],
    ['COUNTERSIGN_MAX_API_KEY_LIFETIME', '30d'],
    ['COUNTERSIGN_WORKER_POOL', '0'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
  ])('refuses %s=%s and names the allowed values', (name, value) => {
    const load = () => loadConfig({ ...SERVERS, [name]: value }, 'api');
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(new RegExp(`^${name} must be `));
  });

  test.each([
    ['DATABASE_URL', 'postgres:///countersign?host=/run/postgresql'],
    ['DATABASE_URL', 'postgres://u@%2Frun%2Fpostgresql/countersign'],
    ['DATABASE_URL', 'postgres://u:p@my_db-1:5432/countersign'],
    ['DATABASE_URL', 'postgres://u:p@[::1]/countersign'],
    ['TEMPORAL_ADDRESS', '[::1]:7233'],
    ['TEMPORAL_ADDRESS', 'temporal.example.:7233'],
    ['SMTP_URL', 'smtp://mail-1.example'],
    ['COUNTERSIGN_PUBLIC_URL', 'http://127.0.0.1:8080'],
    ['COUNTERSIGN_EMAIL_FROM', 'Countersign <countersign@localhost>'],
  ])('accepts %s=%s', (name, value) => {
    expect(() => loadConfig({ ...SERVERS, [name]: value }, 'api')).not.toThrow();
  });

  test('never repeats a wrong value, because it may be a secret in the wrong variable', () => {
    const load = () =>
      loadConfig({ DATABASE_URL: 'hunter2', TEMPORAL_ADDRESS: 'hunter2' }, 'start');
    expect(load).toThrow(/^DATABASE_URL must be /);
    expect(load).not.toThrow(/hunter2/);
  });

  test('names every wrong variable at once', () => {
    expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' }, 'start')).toThrow(
      /PORT must be [^\n]*\nLOG_LEVEL must be /,
    );
  });

  test.each(['api', 'worker'] as const)('requires both servers for %s', (role) => {
    expect(() => loadConfig({}, role)).toThrow(
      /DATABASE_URL must be set for `.*\nTEMPORAL_ADDRESS must be set/,
    );
    expect(loadConfig(SERVERS, role).databaseUrl).toBe(SERVERS.DATABASE_URL);
  });

  test('requires only the database to migrate', () => {
    expect(() => loadConfig({}, 'migrate')).toThrow(
      /^DATABASE_URL must be set for `migrate`: [^\n]*$/,
    );
  });

  test('builds links without a trailing slash and with the brackets of an IPv6 host', () => {
    expect(
      loadConfig({ COUNTERSIGN_PUBLIC_URL: 'https://approvals.example/' }, 'start').publicUrl,
    ).toBe('https://approvals.example');
    expect(loadConfig({ HOST: '::1', PORT: '1' }, 'start').publicUrl).toBe('http://[::1]:1');
    expect(loadConfig({ PORT: '0' }, 'start').publicUrl).toBeUndefined();
  });

  test('passes on every TEMPORAL_ variable, including those that the table does not name', () => {
    const config = loadConfig(
      { TEMPORAL_GRPC_META_TEAM: 'a', TEMPORAL_API_KEY: '', OTHER: 'x' },
      'start',
    );
    expect(config.temporalEnvironment).toEqual({ TEMPORAL_GRPC_META_TEAM: 'a' });
  });

  test('accepts only valid ports, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)),
        (value) => {
          const valid = value === '' || (/^(0|[1-9]\d*)$/.test(value) && Number(value) <= 65_535);
          if (valid)
            expect(loadConfig({ PORT: value }, 'start').port).toBe(
              value === '' ? 8080 : Number(value),
            );
          else expect(() => loadConfig({ PORT: value }, 'start')).toThrow(/^PORT must be /);
        },
      ),
    );
  });

  test('prints one row for each variable', () => {
    const rows = configMarkdown().split('\n').slice(2);
    expect(rows.map((row) => /^\| `([A-Z_]+)` \|/.exec(row)?.[1])).toEqual(variableNames());
    for (const row of rows) expect(row.split(' | ')).toHaveLength(4);
  });

  test('the documentation contains the current table; npm run docs:config writes it', () => {
    const file = join(packageRoot(), 'docs/operations/configuration.md');
    // Prettier aligns the columns.
    const compact = (text: string): string =>
      text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
    expect(compact(readFileSync(file, 'utf8'))).toContain(compact(configMarkdown()));
  });
});
