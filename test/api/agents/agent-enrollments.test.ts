/** A machine asks, a person authorizes, the machine gets its credential once. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  createAgent,
  createOrganization,
  createProvisioner,
} from '../../support/scene/factories.ts';
import { deleteAttempts } from '../../support/scene/sign-in.ts';
import { idOf, secretOf } from '../../support/tokens.ts';
import { codesOf, enrollmentScene, NOT_FOUND, outcomeOf } from './enrollment-scene.ts';

const MINUTE = 60_000;

const { app, organization, owner, start, begun, exchange, find, authorize } =
  await enrollmentScene();

const pointerOf = ({ body }: ApiResponse): unknown =>
  body['error']?.['details']?.['issues']?.[0]?.['pointer'];
const asks = async ({ body }: ApiResponse) => {
  const authorization = `Bearer ${String(body['credential']?.['token'])}`;
  return (
    await new HttpClient(app.url, { authorization }).get(`/api/aap/v1/requests/${randomUUID()}`)
  ).status;
};

const eventsOf = async (...subjects: string[]) =>
  (await app
    .db('audit_events')
    .where({ organization_id: organization.id })
    .whereIn('subject_id', subjects)
    .orderBy('sequence')) as { event_type: string; actor_type: string; data: string }[];

/** As if so many minutes had passed. */
async function later({ secret }: { secret: string }, minutes: number): Promise<void> {
  await app
    .db('agent_enrollments')
    .where({ id: idOf(secret) })
    .update({
      expires_at: app.db.raw(`expires_at - cast(? as integer) * interval '1 minute'`, [minutes]),
    });
}

describe('an enrollment', () => {
  test('gives the machine a credential after a person has authorized it, exactly once', async () => {
    const started = await start({
      requested_agent_slug: 'deploy-bot',
      instance_name: 'ada-laptop',
      instance_metadata: { host: 'ada' },
    });
    expect(started.status).toBe(201);
    expect(started.body).toEqual({
      enrollment_code: expect.stringMatching(/^whe_/),
      user_code: expect.stringMatching(/^[A-Z]{3}-[A-Z0-9]{4}$/),
      verification_uri: `${app.url}/enroll`,
      expires_at: expect.any(String),
    });
    const codes = codesOf(started);
    const left = Date.parse(String(started.body['expires_at'])) - Date.now();
    expect(Math.abs(left - 10 * MINUTE)).toBeLessThan(MINUTE);

    expect(outcomeOf(await exchange(codes.secret))).toEqual(NOT_FOUND);
    const found = await find(codes.user);
    expect([found.status, found.body]).toEqual([
      200,
      {
        runtime: 'test runtime',
        requested_agent_slug: 'deploy-bot',
        instance_name: 'ada-laptop',
        instance_metadata: { host: 'ada' },
        status: 'awaiting_authorization',
        expires_at: started.body['expires_at'],
      },
    ]);

    const authorized = await authorize(codes.user.toLowerCase().replace('-', ''));
    expect([authorized.status, authorized.body]).toEqual([
      200,
      {
        agent: expect.objectContaining({ slug: 'deploy-bot', status: 'active' }),
        agent_instance: expect.objectContaining({
          name: 'ada-laptop',
          agent_slug: 'deploy-bot',
          metadata: { host: 'ada' },
        }),
      },
    ]);
    expect((await find(codes.user)).body).toMatchObject({ status: 'authorized' });

    const enrolled = await exchange(codes.secret);
    expect(enrolled.status).toBe(200);
    expect(enrolled.body).toEqual({
      ...authorized.body,
      credential: {
        id: expect.any(String),
        token: expect.stringMatching(/^whc_/),
        expires_at: expect.any(String),
      },
    });
    expect(await asks(enrolled)).toBe(404);
    expect(outcomeOf(await exchange(codes.secret))).toEqual(NOT_FOUND);
    expect(outcomeOf(await find(codes.user))).toEqual(NOT_FOUND);
    expect(outcomeOf(await authorize(codes.user))).toEqual(NOT_FOUND);

    const events = await eventsOf(
      String(enrolled.body['agent_instance']?.['id']),
      String(enrolled.body['credential']?.['id']),
    );
    expect(events).toMatchObject([
      { event_type: 'agent_instance.enrolled', actor_type: 'human' },
      { event_type: 'agent_credential.issued', actor_type: 'agent' },
    ]);
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({
      agent_instance_name: 'ada-laptop',
      runtime: 'test runtime',
    });
    const stored = JSON.stringify([
      await app.db('agent_enrollments').where({ id: idOf(codes.secret) }),
      events,
      app.log,
    ]);
    for (const secret of [secretOf(codes.secret), codes.user, codes.user.replace('-', '')])
      expect(stored).not.toContain(secret);
  });

  test('may choose any agent, or a new one, when the machine names none', async () => {
    const codes = await begun();
    const slug = `new-${randomUUID().slice(0, 8)}`;
    const authorized = await authorize(codes.user, { create_agent: { slug, name: slug } });
    expect([authorized.status, authorized.body['agent']?.['slug']]).toEqual([200, slug]);
    const [created] = await eventsOf(slug);
    expect(created?.event_type).toBe('agent.created');
    const pipeline = await owner.http.get(`/api/v1/request-approval-pipelines/agents/${slug}`);
    expect(pipeline.body).toMatchObject({ revision: 1, is_active: true });
    expect((await exchange(codes.secret)).body).toMatchObject({ agent: { slug } });
  });

  test('of a machine that names an agent takes no other, and no new one', async () => {
    const codes = await begun({ requested_agent_slug: 'deploy-bot' });
    for (const body of [
      { agent_slug: 'other-bot' },
      { agent_slug: 'unknown' },
      { create_agent: { slug: 'deploy-bot', name: 'Mine' } },
      { create_agent: { slug: 'newer', name: 'Newer' } },
    ])
      expect(outcomeOf(await authorize(codes.user, body))).toEqual([
        409,
        'enrollment_target_fixed',
      ]);
    expect((await authorize(codes.user)).status).toBe(200);
  });

  test('does not tell whether the requested agent exists, until a person authorizes it', async () => {
    const known = await start({ requested_agent_slug: 'deploy-bot' });
    const unknown = await start({ requested_agent_slug: 'unknown' });
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([
      known.status,
      Object.keys(known.body),
    ]);
    const { user, secret } = codesOf(unknown);
    expect((await find(user)).status).toBe(200);
    expect(outcomeOf(await authorize(user, { agent_slug: 'unknown' }))).toEqual(NOT_FOUND);
    expect(outcomeOf(await exchange(secret))).toEqual(NOT_FOUND);
  });

  test('ends with its ten minutes, at every stage', async () => {
    const [waiting, authorized] = [await begun(), await begun()];
    await authorize(authorized.user);
    for (const codes of [waiting, authorized]) {
      await later(codes, 9);
      expect((await find(codes.user)).status).toBe(200);
      await later(codes, 1);
      expect(outcomeOf(await find(codes.user))).toEqual(NOT_FOUND);
      expect(outcomeOf(await exchange(codes.secret))).toEqual(NOT_FOUND);
    }
    expect(outcomeOf(await authorize(waiting.user))).toEqual(NOT_FOUND);
  });

  test('is purged a day after its end, and the instance of one that was exchanged stays', async () => {
    const [old, young] = [await begun(), await begun()];
    const { body } = await authorize(old.user);
    await exchange(old.secret);
    await later(old, 24 * 60 + 11);
    await later(young, 24 * 60);
    await purgeBatch(app.context, new AbortController().signal);
    const left = await app
      .db('agent_enrollments')
      .whereIn('id', [idOf(old.secret), idOf(young.secret)])
      .pluck('id');
    expect(left).toEqual([idOf(young.secret)]);
    const id = String(body['agent_instance']?.['id']);
    expect(await app.db('agent_instances').where({ id })).toHaveLength(1);
  });
});

describe('starting', () => {
  test.each([
    ['no runtime', { runtime: undefined }, '/runtime'],
    ['a blank runtime', { runtime: ' ' }, '/runtime'],
    ['no name', { instance_name: undefined }, '/instance_name'],
    ['a blank name', { instance_name: '' }, '/instance_name'],
    ['a bidirectional name', { instance_name: 'a\u202eb' }, '/instance_name'],
    ['a bidirectional runtime', { runtime: 'a\u2066b' }, '/runtime'],
    ['a bad slug', { requested_agent_slug: 'No Slug' }, '/requested_agent_slug'],
    ['metadata that is no object', { instance_metadata: 'x' }, '/instance_metadata'],
    ['an unknown field', { agent_slug: 'deploy-bot' }, '/agent_slug'],
  ])('is refused with %s', async (_what, body, pointer) => {
    const answer = await start(body);
    expect([answer.status, pointerOf(answer)]).toEqual([400, pointer]);
  });

  test('keeps the metadata as it is, and takes at most 16 KiB in all', async () => {
    const metadata = '{ "a": 1.0, "__proto__": {"x": 9007199254740993} }';
    const started = await app.http.post(
      '/auth/agent_enrollments',
      `{"runtime": "t", "instance_name": "exact", "instance_metadata": ${metadata}}`,
    );
    expect((await find(codesOf(started).user)).text).toContain(`"instance_metadata":${metadata}`);
    const large = await start({ instance_metadata: { x: 'x'.repeat(16 * 1024) } });
    expect(outcomeOf(large)).toEqual([413, 'payload_too_large']);
  });

  test('is limited to ten a minute from one address', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => start()));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(10).fill(201),
      429,
      429,
    ]);
    const refused = answers.find(({ status }) => status === 429);
    const seconds = Number(refused?.headers['retry-after']);
    expect([seconds >= 1, seconds <= 60]).toEqual([true, true]);
    await deleteAttempts(app);
    expect((await start()).status).toBe(201);
  });
});

describe('exchanging', () => {
  test('a code that does not look like one is 401, before anything is looked up', async () => {
    for (const code of ['x', 'KQM-7X2R', issueToken('whc').token, 'whe_1_2'])
      expect(outcomeOf(await exchange(code))).toEqual([401, 'authentication_required']);
    for (const code of ['', 1, null, undefined]) expect((await exchange(code)).status).toBe(400);
  });

  test('a guessed code, or one with a wrong secret, is not found', async () => {
    const codes = await begun();
    await authorize(codes.user);
    const forged = issueToken('whe', idOf(codes.secret)).token;
    for (const code of [issueToken('whe').token, forged])
      expect(outcomeOf(await exchange(code))).toEqual(NOT_FOUND);
    expect((await exchange(codes.secret)).status).toBe(200);
  });

  test('gives one credential when the code is exchanged twice at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const codes = await begun();
      const authorized = await authorize(codes.user);
      const answers = await Promise.all([exchange(codes.secret), exchange(codes.secret)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
      const agent_instance_id = String(authorized.body['agent_instance']?.['id']);
      expect(await app.db('agent_credentials').where({ agent_instance_id })).toHaveLength(1);
    }
  });

  test('leaves no credential that works when the agent is archived at that moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const { slug } = await createAgent(app, organization);
      const codes = await begun();
      await authorize(codes.user, { agent_slug: slug });
      const archived = owner.http.delete(`/api/v1/agents/${slug}`);
      const [exchanged] = await Promise.all([exchange(codes.secret), archived]);
      expect([200, 404]).toContain(exchanged.status);
      if (exchanged.status === 200) expect(await asks(exchanged)).toBe(401);
    }
  });

  test.each([
    ['a disabled agent', 'agents', 'agent_disabled'],
    ['a disabled instance', 'agent_instances', 'instance_disabled'],
  ])('is 403 for %s, and works once it is enabled again', async (_what, table, code) => {
    const { slug } = await createAgent(app, organization);
    const codes = await begun();
    await authorize(codes.user, { agent_slug: slug });
    const where = {
      organization_id: organization.id,
      [table === 'agents' ? 'slug' : 'agent_slug']: slug,
    };
    await app.db(table).where(where).update({ status: 'disabled' });
    expect(outcomeOf(await exchange(codes.secret))).toEqual([403, code]);
    await app.db(table).where(where).update({ status: 'active' });
    expect((await exchange(codes.secret)).status).toBe(200);
  });

  test('ends for good when the agent is archived, and when the organization is deleted', async () => {
    const gone = await createOrganization(app);
    const { slug } = await createAgent(app, gone);
    const path = `/api/v1/agents/${slug}`;
    const one = await begun();
    await authorize(one.user, { agent_slug: slug }, gone.owner);
    await gone.owner.http.delete(path);
    expect((await gone.owner.http.post(`${path}/restore`)).status).toBe(200);
    expect(outcomeOf(await exchange(one.secret))).toEqual(NOT_FOUND);
    const two = await begun();
    await authorize(two.user, { agent_slug: slug }, gone.owner);
    await app.db('organizations').where({ id: gone.id }).update({ deleted_at: new Date() });
    expect(outcomeOf(await exchange(two.secret))).toEqual(NOT_FOUND);
  });
});

describe('an instance whose machine never came', () => {
  const instances = async (name: string) => {
    const { body } = await owner.http.get(`/api/v1/agents/deploy-bot?instance_q=${name}`);
    return (body['instances'] as unknown as { name: string; id: string }[]).map(({ id }) => id);
  };

  test('is removed, and the log says so; one that came for its credential stays', async () => {
    const [gone, stays] = [
      await begun({ instance_name: 'gone' }),
      await begun({ instance_name: 'stays' }),
    ];
    const { body } = await authorize(gone.user);
    await authorize(stays.user);
    await exchange(stays.secret);
    await purgeBatch(app.context, new AbortController().signal);
    expect(await instances('gone')).toHaveLength(1);
    for (const codes of [gone, stays]) await later(codes, 11);
    await purgeBatch(app.context, new AbortController().signal);
    expect([await instances('gone'), (await instances('stays')).length]).toEqual([[], 1]);
    const { id = '' } = body['agent_instance'] as unknown as { id?: string };
    expect((await eventsOf(id)).map(({ event_type: type }) => type)).toEqual([
      'agent_instance.enrolled',
      'agent_instance.enrollment_expired',
    ]);
    expect(outcomeOf(await exchange(gone.secret))).toEqual(NOT_FOUND);
  });

  test('leaves its name free at once', async () => {
    const late = await begun({ instance_name: 'laptop' });
    await authorize(late.user);
    const again = await begun({ instance_name: 'laptop' });
    expect(outcomeOf(await authorize(again.user))).toEqual([409, 'instance_name_taken']);
    await later(late, 11);
    expect((await authorize(again.user)).status).toBe(200);
    expect((await exchange(again.secret)).status).toBe(200);
    expect(outcomeOf(await exchange(late.secret))).toEqual(NOT_FOUND);
  });
});

test('an instance that is deleted before its machine comes gets no credential, and stays deleted', async () => {
  const codes = await begun();
  const { body } = await authorize(codes.user);
  const { id = '' } = body['agent_instance'] as unknown as { id?: string };
  const { token } = await createProvisioner(app, organization, 'deploy-bot');
  const fleet = new HttpClient(app.url, { authorization: `Bearer ${token}` });
  const path = `/api/aap/v1/instances/${id}`;
  expect((await fleet.delete(path)).status).toBe(204);
  expect(outcomeOf(await exchange(codes.secret))).toEqual(NOT_FOUND);
  await later(codes, 11);
  await purgeBatch(app.context, new AbortController().signal);
  expect((await fleet.delete(path)).status).toBe(204);
});
