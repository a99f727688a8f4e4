/** The first owner: created once, with the secret of the file. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { BOOTSTRAP_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { codeOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { secretOf } from '../../support/tokens.ts';
import { until, untilBlocked } from '../../support/waiting.ts';
import { countRows, owner, pointersOf, sessionOf } from './auth-scene.ts';

test('a data folder that cannot be written to is named as such, and not taken for a wrong secret', async () => {
  // Inside a file, where not even root can make a folder.
  const app = await startApp({
    environment: { COUNTERSIGN_DATA_DIR: `${packageRoot()}/package.json/data` },
  });
  try {
    const refused = await app.http.post('/auth/bootstrap', owner);
    expect(codeOf(refused)).toEqual([503, 'dependency_unavailable']);
    expect(refused.body['error']?.['message']).toMatch(/COUNTERSIGN_DATA_DIR/);
    expect(app.log.filter((line) => line.includes('COUNTERSIGN_DATA_DIR'))).toEqual([
      expect.stringMatching(/ENOTDIR.*package\.json\/data/),
    ]);
  } finally {
    await app.close();
  }
});

describe('the first owner', () => {
  let app: TestApp;

  // A deployment without an owner for each test.
  beforeEach(async () => {
    app = await startApp();
  });

  afterEach(() => app.close());

  test('is created and signed in, with an organization whose pipeline is active and empty', async () => {
    const created = await app.http.post('/auth/bootstrap', owner);
    expect(created.status).toBe(201);
    const me = await app.http.get('/api/v1/me', {
      headers: { cookie: `service_session=${sessionOf(created)}` },
    });
    expect(me.status).toBe(200);
    expect(me.body).toEqual(created.body);
    expect(created.body['organization']).toEqual({
      name: 'Ünited Examples, Inc.',
      slug: 'united-examples-inc',
    });
    expect(created.body['user']).toEqual({
      display_name: 'Ada Marsh',
      email: 'Ada@Example.com',
      has_password: true,
    });
    expect(created.body['assignments']?.[0]?.['is_owner']).toBe(true);
    const pipelines = (await app
      .db('request_approval_pipelines as p')
      .join('request_approval_pipeline_revisions as r', 'r.request_approval_pipeline_id', 'p.id')
      .select('p.document_key', 'p.active_revision', 'r.revision', 'r.document')) as unknown[];
    expect(pipelines).toEqual([
      { document_key: 'organization', active_revision: 1, revision: 1, document: '{"blocks":[]}' },
    ]);
  });

  test('is created once: a second bootstrap is refused, with the right secret and with a wrong one', async () => {
    expect((await app.http.post('/auth/bootstrap', owner)).status).toBe(201);
    const second = { ...owner, organization_name: 'Another', email: 'eve@example.com' };
    expect(codeOf(await app.http.post('/auth/bootstrap', second))).toEqual([
      409,
      'already_bootstrapped',
    ]);
    expect(codeOf(await app.http.post('/auth/bootstrap', { ...second, secret: 'guess' }))).toEqual([
      409,
      'already_bootstrapped',
    ]);
    expect(await countRows(app, 'organizations')).toBe(1);
    expect(await countRows(app, 'users')).toBe(1);
  });

  test('is one of several concurrent callers, and the others leave nothing behind', async () => {
    const tries = Array.from({ length: 5 }, (_, index) => ({
      ...owner,
      organization_name: `Organization ${index}`,
      email: `owner-${index}@example.com`,
    }));
    // The lock holds until all five calls wait, for the insert or for an earlier call.
    const gate = await app.db.transaction();
    await gate.raw('lock table organizations in share row exclusive mode');
    const answers = Promise.all(tries.map((body) => app.http.post('/auth/bootstrap', body)));
    await untilBlocked(gate, tries.length);
    await gate.commit();
    expect((await answers).map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    for (const table of [
      'organizations',
      'users',
      'memberships',
      'permission_policies',
      'sessions',
      'request_approval_pipelines',
    ]) {
      expect([table, await countRows(app, table)]).toEqual([table, 1]);
    }
  });

  test('needs the secret that is in the file at that moment', async () => {
    const file = app.context.bootstrapSecretFile;
    const attempt = async (secret: string) =>
      codeOf(await app.http.post('/auth/bootstrap', { ...owner, secret }));
    const refused = [403, 'bootstrap_secret_invalid'];
    expect(await attempt('the-wrong-secret')).toEqual(refused);
    expect(await attempt(`${BOOTSTRAP_SECRET} `)).toEqual(refused);
    await rm(file);
    expect(await attempt(BOOTSTRAP_SECRET)).toEqual(refused);
    await writeFile(file, '\n');
    expect(await attempt('\n')).toEqual(refused);
    expect(await attempt('')).toEqual([400, 'validation_failed']);
    await writeFile(file, 'another-secret\n');
    expect(await attempt(BOOTSTRAP_SECRET)).toEqual(refused);
    expect(await countRows(app, 'organizations')).toBe(0);
    expect(await attempt('another-secret')).toEqual([201, undefined]);
  });

  test('gets a new secret file when it was lost, and the file is gone afterwards', async () => {
    const file = app.context.bootstrapSecretFile;
    for (const lose of [() => rm(file), () => writeFile(file, '')]) {
      await lose();
      await app.http.post('/auth/bootstrap', { ...owner, secret: 'guess' });
      expect(await readFile(file, 'utf8')).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    }
    await rm(file);
    await app.http.post('/auth/bootstrap', { ...owner, secret: 'guess' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(file, 'utf8')).trim();
    expect((await app.http.post('/auth/bootstrap', { ...owner, secret })).status).toBe(201);
    expect(await readdir(dirname(file))).not.toContain(basename(file));
  });

  test('leaves a record of the creation, without secrets in it, in the answers or in the log', async () => {
    const created = await app.http.post('/auth/bootstrap', owner);
    const session = sessionOf(created);
    const wrong = await app.http.post('/auth/login', {
      email: owner.email,
      password: 'a-wrong-password-of-ada',
    });
    const failures = app.db('audit_events').where({ event_type: 'session.sign_in_failed' });
    await until('the failure is on record', async () => (await failures.clone()).length > 0);
    const right = await app.http.post('/auth/login', { email: owner.email, password: PASSWORD });
    await app.http.post('/auth/logout', undefined, {
      headers: { cookie: `service_session=${session}` },
    });
    const events = (await app.db('audit_events').orderBy('sequence')) as {
      event_type: string;
      actor_id: string | null;
    }[];
    expect(events.map((event) => event.event_type)).toEqual([
      'organization.created',
      'membership.created',
      'permission_policy.created',
      'session.created',
      'session.sign_in_failed',
      'session.created',
      'session.revoked',
    ]);
    // The actor behind a wrong password is unknown.
    expect(new Set(events.map((event) => event.actor_id))).toEqual(
      new Set([created.body['principal']?.['membership_id'], null]),
    );
    const secrets = [
      BOOTSTRAP_SECRET,
      PASSWORD,
      'a-wrong-password-of-ada',
      secretOf(session),
      secretOf(sessionOf(right)),
      '$argon2id$',
    ];
    const shown = [created.text, wrong.text, right.text, JSON.stringify(events), ...app.log].join(
      '\n',
    );
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  });

  test('must be described completely and correctly before the secret is checked', async () => {
    const withWrongSecret = { ...owner, secret: 'wrong' };
    const bad: [string, unknown][] = [
      ['/password', 'x'.repeat(11)],
      ['/password', 'x'.repeat(129)],
      ['/password', 123456789012],
      ['/email', 'ada'],
      ['/email', 'ada@example'],
      ['/email', ' ada@example.com'],
      ['/email', 'ada@example.com\n'],
      ['/email', `${'a'.repeat(250)}@example.com`],
      ['/email', null],
      ['/organization_name', '   '],
      ['/organization_name', 'x'.repeat(201)],
      ['/display_name', ''],
      ['/display_name', 'a\u0000b'],
      ['/secret', ''],
      ['/surname', 'Marsh'],
    ];
    for (const [pointer, value] of bad) {
      const answer = await app.http.post('/auth/bootstrap', {
        ...withWrongSecret,
        [pointer.slice(1)]: value,
      });
      expect([pointer, value, answer.status, pointersOf(answer)]).toEqual([
        pointer,
        value,
        400,
        [pointer],
      ]);
      const { [pointer.slice(1)]: _, ...without } = withWrongSecret as Record<string, unknown>;
      if (pointer in { '/surname': 0 }) continue;
      expect(pointersOf(await app.http.post('/auth/bootstrap', without))).toEqual([pointer]);
    }
    for (const password of ['x'.repeat(12), 'x'.repeat(128), '\u{1F426}'.repeat(12)]) {
      expect(
        (await app.http.post('/auth/bootstrap', { ...withWrongSecret, password })).status,
      ).toBe(403);
    }
    expect(
      (
        await app.http.post('/auth/bootstrap', 'secret=x', {
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
  });
});
