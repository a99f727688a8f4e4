/** Deleting the organization, and the first owner of the next one. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import type { ApiResponse } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import {
  ask,
  askUnevaluated,
  decide,
  postRequest,
  reachDeadline,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createOrganization,
  createOrganizationKey,
  createProvisioner,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { expire, invited } from '../../support/scene/invitations.ts';
import { ask as askWithTemporal, handleOf, waiting } from '../../support/temporal.ts';
import { until } from '../../support/waiting.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { organizationCalls } from './organization-scene.ts';

const PATH = '/api/v1/organization';

const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
const pointersOf = ({ body }: ApiResponse) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({
  environment: { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_CREATE_BUDGET: '1s' },
});

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const { authenticate, eventsOf } = organizationCalls(app, () => organization);

describe('DELETE /organization', () => {
  const remove = (confirm = organization.slug, member = owner) =>
    member.browser.delete(`${PATH}?confirm=${confirm}`);

  test('needs the slug, a session and recent authentication', async () => {
    expect([...pointersOf(await owner.browser.delete(PATH))]).toEqual(['/query/confirm']);
    expect([...pointersOf(await remove('another'))]).toEqual(['/query/confirm']);
    expect(codeOf(await owner.http.delete(`${PATH}?confirm=${organization.slug}`))).toEqual([
      403,
      'session_required',
    ]);
    await authenticate(owner, { secondsAgo: 901 });
    expect(codeOf(await remove())).toEqual([403, 'reauthentication_required']);
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    await authenticate(owner, {});
    expect(codeOf(await remove())).toEqual([403, 'mfa_required']);
    expect((await owner.http.get(PATH)).status).toBe(200);
  });

  test('ends all access to the organization, and leaves other organizations alone', async () => {
    const agent = await createAgent(app, organization);
    const fleet = await createProvisioner(app, organization, agent.slug);
    const key = await createOrganizationKey(app, organization, [
      { scope_kind: 'organization', permissions: ['organization.read'] },
    ]);
    const other = await createOrganization(app);
    const otherAgent = await createAgent(app, other);
    const elsewhere = await askUnevaluated(app, otherAgent);
    const [pending, evaluating] = [await ask(app, agent), await askUnevaluated(app, agent)];
    const expired = await invited(owner);
    await invited(owner);
    await expire(app, expired.id);
    expect((await remove()).status).toBe(204);

    const unauthenticated = [401, 'authentication_required'];
    expect(codeOf(await owner.browser.get('/api/v1/me'))).toEqual(unauthenticated);
    expect(codeOf(await owner.http.get(PATH))).toEqual(unauthenticated);
    expect(codeOf(await key.http.get(PATH))).toEqual(unauthenticated);
    expect(codeOf(await postRequest(app, agent))).toEqual(unauthenticated);
    const provision = await app.http.post('/api/aap/v1/instances', undefined, {
      headers: { authorization: `Bearer ${fleet.token}` },
    });
    expect(codeOf(provision)).toEqual(unauthenticated);
    expect((await other.owner.browser.get(PATH)).status).toBe(200);
    expect((await postRequest(app, otherAgent)).status).toBe(201);

    const decisions = (await app
      .db('decisions')
      .whereIn('request_id', [pending, evaluating, elsewhere])
      .select(
        'request_id',
        'status',
        'channel',
        'authentication',
        'idempotency_key',
        'membership_id',
      )) as { request_id: string }[];
    expect(decisions.map(({ request_id }) => request_id).sort()).toEqual(
      [pending, evaluating].sort(),
    );
    for (const decision of decisions) {
      expect(decision).toMatchObject({
        status: 'cancelled',
        channel: 'system',
        idempotency_key: `system:${decision.request_id}`,
        membership_id: null,
      });
    }
    const shown = await eventsOf('approval_request.cancelled');
    expect(shown).toEqual(
      Array(2).fill({
        actor_id: owner.membershipId,
        data: { channel: 'system', reason: 'organization_deleted' },
      }),
    );
    expect(await eventsOf('organization.deleted')).toEqual([
      {
        actor_id: owner.membershipId,
        data: {
          memberships_deprovisioned: 1,
          sessions_revoked: 1,
          api_keys_revoked: 2,
          invitations_revoked: 1,
          agent_credentials_revoked: 1,
          agent_provisioners_revoked: 1,
          approval_requests_cancelled: 2,
        },
      },
    ]);
    expect(await app.db('invitations').where({ id: expired.id }).first('revoked_at')).toEqual({
      revoked_at: null,
    });
  });

  test('expires requests past their deadline instead of cancelling them', async () => {
    const agent = await createAgent(app, organization);
    const id = await ask(app, agent);
    await reachDeadline(app, id);
    await remove();
    const row: unknown = await app
      .db('decisions')
      .where({ request_id: id })
      .first('status', 'channel');
    expect(row).toEqual({ status: 'expired', channel: 'system' });
  });

  test('answers waiting calls before their time, and no others', async () => {
    const others = await createAgent(app, await createOrganization(app));
    const agent = await createAgent(app, organization);
    const waitFor = async (id: string, { credential }: TestAgent) => {
      const headers = { authorization: `Bearer ${credential}` };
      const answer = app.http.get(`/api/aap/v1/requests/${id}?wait=30s`, { headers });
      await until('a call waits for it', () => app.context.changes.waitedFor().includes(id));
      return { answer };
    };
    // It waits as long as the other call, and began first.
    const elsewhere = await ask(app, others);
    const { answer: theirs } = await waitFor(elsewhere, others);
    const { answer: waiting } = await waitFor(await ask(app, agent), agent);
    await remove();
    expect(codeOf(await waiting)).toEqual([401, 'authentication_required']);
    expect(app.context.changes.waitedFor()).toContain(elsewhere);
    const headers = { authorization: `Bearer ${others.credential}` };
    await app.http.delete(`/api/aap/v1/requests/${elsewhere}`, { headers });
    expect((await theirs).body['status']).toBe('cancelled');
  });

  test('applies each concurrent call completely or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      organization = await createOrganization(app);
      owner = organization.owner;
      const agent = await createAgent(app, organization);
      const ids = [
        await ask(app, agent),
        await ask(app, agent),
        await ask(app, agent),
        await askUnevaluated(app, agent),
      ];
      const [deleted, decided, withdrawn, , , ...created] = await Promise.all([
        remove(),
        decide(owner.browser, ids[0] ?? ''),
        app.http.delete(`/api/aap/v1/requests/${ids[1] ?? ''}`, {
          headers: { authorization: `Bearer ${agent.credential}` },
        }),
        reachDeadline(app, ids[2] ?? ''),
        stepAt(app, ids[3] ?? ''),
        ...Array.from({ length: 4 }, () => postRequest(app, agent)),
      ]);
      expect(deleted.status).toBe(204);
      const rows = (await app
        .db('approval_requests as r')
        .leftJoin('decisions as d', 'd.request_id', 'r.id')
        .where({ 'r.organization_id': organization.id })
        .select('r.id', 'r.state', 'd.status', 'd.channel')) as {
        id: string;
        state: string;
        status: string | null;
        channel: string;
      }[];
      expect(rows).toHaveLength(4 + created.filter(({ status }) => status === 201).length);
      for (const row of rows) expect(row.status).toBe(row.state);
      const of = (id: string | undefined) => rows.find((row) => row.id === id);
      expect(decided.status === 200).toBe(of(ids[0])?.channel === 'web');
      expect(withdrawn.status === 200 ? withdrawn.body['status'] : 'cancelled').toBe('cancelled');
      for (const { status } of created) expect([201, 401]).toContain(status);
      expect(['aap', 'system']).toContain(of(ids[1])?.channel);
      const events = await app
        .db('audit_events')
        .where({ organization_id: organization.id })
        .whereIn('event_type', [
          'approval_request.cancelled',
          'approval_request.approved',
          'approval_request.expired',
        ]);
      expect(events).toHaveLength(rows.length);
    }
  });

  test('ends the workflows of the cancelled requests', async () => {
    const durable = await startApp({ temporal: true });
    try {
      const theirs = await createOrganization(durable);
      const agent = await createAgent(durable, theirs);
      const ids = await Promise.all([1, 2, 3].map(() => askWithTemporal(durable, agent)));
      // With inline rules a workflow starts after the response.
      for (const id of ids) await waiting(durable, id);
      const statuses = async () =>
        await Promise.all(
          ids.map(async (id) => (await handleOf(durable, id).describe()).status.name),
        );
      expect(await statuses()).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
      expect((await theirs.owner.browser.delete(`${PATH}?confirm=${theirs.slug}`)).status).toBe(
        204,
      );
      await until('every workflow has ended', async () =>
        (await statuses()).every((status) => status === 'COMPLETED'),
      );
    } finally {
      await durable.close();
    }
  });

  test('happens once when several calls ask for it at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      organization = await createOrganization(app);
      owner = organization.owner;
      const answers = await Promise.all([remove(), remove(), remove()]);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(await eventsOf('organization.deleted')).toHaveLength(1);
    }
  });
});

describe('after the only organization was deleted', () => {
  const credentials = { email: 'ada@example.com', password: 'seven bright ravens on a wire' };
  const owned = { ...credentials, organization_name: 'Example Works', display_name: 'Ada Marsh' };

  /** A second factor of the first account, whose secret is lost. */
  async function leaveFactorsBehind({ db }: TestApp): Promise<void> {
    const user_id = ((await db('users').first('id')) as { id: string }).id;
    const now = new Date();
    await db('totp_factors').insert({
      user_id,
      secret: Buffer.alloc(20),
      secret_key_id: 'lost',
      created_at: now,
      confirmed_at: now,
    });
    await db('recovery_codes').insert({ user_id, code_hash: Buffer.alloc(32) });
  }

  const cookieFrom = ({ headers }: ApiResponse) =>
    (headers['set-cookie'] ?? '').split(';')[0] ?? '';

  test('a new first owner can use the new secret, with the same email and organization name', async () => {
    const lone = await startApp();
    try {
      const secret = () => readFileSync(lone.context.bootstrapSecretFile, 'utf8').trim();
      const first = secret();
      const cookie = cookieFrom(
        await lone.http.post('/auth/bootstrap', { ...owned, secret: first }),
      );
      const headers = { cookie, origin: lone.url, 'sec-fetch-site': 'same-origin' };
      const removed = await lone.http.delete(`${PATH}?confirm=example-works`, { headers });
      expect(removed.status).toBe(204);
      await leaveFactorsBehind(lone);
      expect(codeOf(await lone.http.post('/auth/login', credentials))).toEqual([
        403,
        'membership_inactive',
      ]);
      expect(secret()).not.toBe(first);
      expect(codeOf(await lone.http.post('/auth/bootstrap', { ...owned, secret: first }))).toEqual([
        403,
        'bootstrap_secret_invalid',
      ]);

      const renewed = {
        ...owned,
        secret: secret(),
        email: 'ADA@example.com',
        password: 'nine quiet herons by the weir',
      };
      const again = await lone.http.post('/auth/bootstrap', renewed);
      expect([again.status, again.body['organization']]).toEqual([
        201,
        { name: 'Example Works', slug: 'example-works' },
      ]);
      expect(codeOf(await lone.http.post('/auth/login', credentials))).toEqual([
        401,
        'invalid_credentials',
      ]);
      const login = await lone.http.post('/auth/login', {
        email: renewed.email,
        password: renewed.password,
      });
      expect([login.status, login.body['organization']]).toEqual([
        200,
        { name: 'Example Works', slug: 'example-works' },
      ]);
      expect(
        codeOf(await lone.http.post('/auth/bootstrap', { ...renewed, secret: randomUUID() })),
      ).toEqual([409, 'already_bootstrapped']);
      expect([await lone.db('totp_factors'), await lone.db('recovery_codes')]).toEqual([[], []]);
      const kept = (await lone
        .db('organizations')
        .select('slug', 'deleted_at')
        .orderBy('created_at')) as { deleted_at: Date | null }[];
      expect(kept.map((row) => row.deleted_at !== null)).toEqual([true, false]);
    } finally {
      await lone.close();
    }
  });
});
