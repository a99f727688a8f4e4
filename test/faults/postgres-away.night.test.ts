/** A Postgres server for this file alone stops and starts again while the service keeps running. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import {
  ensureDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/local/embedded-postgres.ts';
import { migrateToLatest } from '../../src/data/migrate.ts';
import { TOKEN_PREFIX } from '../../src/domain/tokens.ts';
import { issueToken } from '../../src/platform/crypto/tokens.ts';
import { errorOf, requestOf, type AdapterResponse } from '../support/adapter.ts';
import { BOOTSTRAP_SECRET, startApp, type TestApp } from '../support/app.ts';
import { brokenPromises } from '../support/outcomes.ts';

import {
  askPeople,
  body,
  finalStatus,
  setScene,
  stateOf,
  until,
  untilSettled,
  type Scene,
} from './scene.ts';

const directory = mkdtempSync(join(tmpdir(), 'countersign-postgres-away-'));
let postgres: EmbeddedPostgres;
let app: TestApp;
let scene: Scene;

const startPostgres = (preferredPort?: number) =>
  startEmbeddedPostgres({
    directory,
    durable: false,
    ...(preferredPort !== undefined && { preferredPort }),
  });

beforeAll(async () => {
  postgres = await startPostgres();
  await ensureDatabase(postgres, 'service');
  await migrateToLatest(postgres.url('service'));
  app = await startApp({ temporal: true, databaseUrl: postgres.url('service') });
  scene = await setScene(app);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
});

/**
 * Bodies for endpoints without a credential: they check their input before they read the database.
 */
const openBodies: Readonly<Record<string, unknown>> = {
  '/auth/login': { email: 'someone@example.com', password: 'a password of some length' },
  '/auth/bootstrap': {
    secret: BOOTSTRAP_SECRET,
    organization_name: 'Acme',
    display_name: 'Ada',
    email: 'ada@example.com',
    password: 'a password of some length',
  },
  '/auth/agent_enrollments': { runtime: 'a test', instance_name: 'laptop' },
  '/auth/agent_enrollments/token': { enrollment_code: issueToken(TOKEN_PREFIX.enrollment).token },
  '/auth/invitations/{token}/accept': {
    display_name: 'Ada',
    password: 'seven bright ravens on a wire',
  },
  '/auth/mfa': { token: issueToken(TOKEN_PREFIX.mfaChallenge).token, code: '123456' },
  '/auth/password/reset': {
    token: issueToken(TOKEN_PREFIX.passwordReset).token,
    password: 'seven bright ravens on a wire',
  },
};

const openTokens: Readonly<Record<string, string>> = {
  '/auth/password/reset/{token}': issueToken(TOKEN_PREFIX.passwordReset).token,
  '/auth/invitations/{token}': issueToken(TOKEN_PREFIX.invitation).token,
  '/auth/invitations/{token}/accept': issueToken(TOKEN_PREFIX.invitation).token,
};

/**
 * These answer from the configuration alone, which has no identity provider, mail server or secrets
 * key here.
 */
const WITHOUT_DATABASE = [
  '/auth/oidc/login',
  '/auth/oidc/callback',
  '/auth/password/forgot',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/mcp',
];
/** OAuth has errors of another form, which have an expectation of their own. */
const asking = endpoints.filter(
  ({ path, signedForm, dialect }) =>
    !signedForm && dialect !== 'oauth' && !WITHOUT_DATABASE.includes(path),
);

function credentialFor(auth: string): Record<string, string> {
  if (auth === 'agent') return { authorization: `Bearer ${scene.agent.credential}` };
  if (auth === 'member' || auth === 'personal_key')
    return { authorization: `Bearer ${scene.reviewer.apiKey}` };
  return { cookie: scene.reviewer.cookie, origin: app.url, 'sec-fetch-site': 'same-origin' };
}

async function endOf(answer: AdapterResponse | undefined, id: string): Promise<string> {
  const outlasted = answer?.kind !== 'request' && (answer?.elapsedMs ?? 0) >= 29_000;
  return outlasted || !answer ? await finalStatus(scene.adapter, id) : requestOf(answer).status;
}

test('while Postgres is away every endpoint reports it, and afterwards everything continues without a restart', async () => {
  const [waited, cancelled, undecided] = await Promise.all([
    askPeople(scene, app),
    askPeople(scene, app),
    askPeople(scene, app),
  ]);
  const waits = [
    scene.adapter.get(waited, { wait: '30s' }),
    scene.adapter.get(cancelled, { wait: '30s' }),
  ];
  // Awaited at the end. If the test fails earlier, these must not fail it a second time.
  for (const wait of waits) wait.catch(() => undefined);
  await until('both waits are parked', () => app.context.changes.waitedFor().length === 2);
  // A wait is listed before its first read is over. Those reads end before a later wait runs out.
  await scene.adapter.get(undecided, { wait: '1s' });
  await postgres.stop();

  const answers = await Promise.all(
    asking.map(async ({ method, path, auth }) => {
      const sent = openBodies[path];
      const target = path.replaceAll(/\{\w+\}/g, openTokens[path] ?? '1');
      const {
        status,
        headers,
        body: answer,
      } = await app.http.call(method.toUpperCase(), target, {
        headers: credentialFor(auth),
        ...(sent !== undefined && { body: sent }),
      });
      return `${method} ${path}: ${status} ${String(answer['error']?.['code'])}, retry after ${headers['retry-after'] ?? 'no time'}`;
    }),
  );
  expect(answers).toEqual(
    asking.map(
      ({ method, path }) => `${method} ${path}: 503 dependency_unavailable, retry after 2`,
    ),
  );
  expect(
    await app.http.call('POST', '/oauth/register', {
      body: { redirect_uris: ['https://client.example.com/callback'] },
    }),
  ).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { error: 'temporarily_unavailable' },
  });
  const key = randomUUID();
  const refused = errorOf(await scene.adapter.create(body('refund'), { idempotencyKey: key }));
  expect(refused).toMatchObject({ status: 503, error: { type: 'dependency' } });

  postgres = await startPostgres(postgres.port);
  await until('it answers again', async () => (await app.http.get('/health/ready')).status === 200);
  const created = requestOf(await scene.adapter.create(body('refund'), { idempotencyKey: key }));
  expect(
    created.status === 'pending' ? await finalStatus(scene.adapter, created.id) : created.status,
  ).toBe('approved');
  expect((await scene.decide(waited)).status).toBe(200);
  expect(requestOf(await scene.adapter.cancel(cancelled)).status).toBe('cancelled');
  // On a busy machine the outage can outlast the 30 s of a wait. Then an adapter asks again.
  const [first, second] = await Promise.all(waits);
  expect([await endOf(first, waited), await endOf(second, cancelled)]).toEqual([
    'approved',
    'cancelled',
  ]);
  await askPeople(scene, app);
  // Whether people are asked in this time is open.
  const short = requestOf(await scene.adapter.create(body('deploy', '2s'))).id;
  expect(await finalStatus(scene.adapter, short)).toBe('expired');
  expect(await stateOf(app, undecided)).toBe('pending');
  await untilSettled(app);
  expect(await brokenPromises(app.db, scene)).toEqual([]);
});
