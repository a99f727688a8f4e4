/** A fleet makes its instances with a provisioner token. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { responseKey, openResponse } from '../../../src/services/access/sealed-responses.ts';
import { appForFile } from '../../support/scene.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  createAgent,
  createOrganization,
  createProvisioner,
  type TestOrganization,
  type TestProvisioner,
} from '../../support/scene/factories.ts';
import { hashSpellings } from '../../support/secrets.ts';
import { idOf, secretOf } from '../../support/tokens.ts';
import { untilBlocked } from '../../support/waiting.ts';

const PATH = '/api/aap/v1/instances';
const DAY = 86_400_000;

const app = await appForFile();
let organization: TestOrganization;
let fleet: TestProvisioner;

beforeAll(async () => {
  organization = await createOrganization(app);
  await createAgent(app, organization, 'deploy-bot');
  fleet = await createProvisioner(app, organization, 'deploy-bot');
});

const bearer = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });

const provision = (
  body?: unknown,
  { key, token = fleet.token }: { key?: string; token?: string } = {},
) =>
  bearer(token).post(PATH, body, { headers: key === undefined ? {} : { 'idempotency-key': key } });

const nameOf = ({ body }: ApiResponse) => String(body['agent_instance']?.['name']);
const tokenOf = ({ body }: ApiResponse) => String(body['credential']?.['token']);
const codeOf = ({ body }: ApiResponse): unknown => body['error']?.['code'];
const pointerOf = ({ body }: ApiResponse): unknown =>
  body['error']?.['details']?.['issues']?.[0]?.['pointer'];
/** 404 for an unknown request: the credential works. */
const asks = async (token: string) =>
  (await bearer(token).get(`/api/aap/v1/requests/${randomUUID()}`)).status;

const lastUse = async ({ id }: TestProvisioner) =>
  (await app.db('agent_provisioners').where({ id }).first<{ last_used_at: Date | null }>())
    .last_used_at;

describe('making an instance', () => {
  test('answers it with a working credential, and writes who made it', async () => {
    const made = await provision({
      instance_name: 'runner-1',
      instance_metadata: { host: 'ci-7' },
      ttl_seconds: 3600,
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      agent_instance: {
        id: expect.any(String),
        organization_id: organization.id,
        agent_slug: 'deploy-bot',
        name: 'runner-1',
        status: 'active',
        metadata: { host: 'ci-7' },
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
      },
      credential: {
        id: idOf(tokenOf(made)),
        token: expect.stringMatching(/^whc_/),
        expires_at: expect.any(String),
      },
    });
    expect(await asks(tokenOf(made))).toBe(404);
    const events = (await app
      .db('audit_events')
      .whereIn('subject_id', [String(made.body['agent_instance']?.['id']), idOf(tokenOf(made))])
      .orderBy('sequence')) as Record<string, string>[];
    expect(events).toMatchObject([
      { event_type: 'agent_instance.provisioned', actor_type: 'agent', actor_id: 'deploy-bot' },
      { event_type: 'agent_credential.issued', actor_type: 'agent', actor_id: 'deploy-bot' },
    ]);
    expect(JSON.parse(events[0]?.['data'] ?? '')).toEqual({
      agent_slug: 'deploy-bot',
      agent_instance_name: 'runner-1',
      agent_provisioner_id: fleet.id,
      agent_provisioner_suffix: fleet.token.slice(-6),
    });
  });

  test('needs no body, and generates a name for each instance', async () => {
    const answers = [await provision(), await provision({}), await provision('{}')];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const answer of answers) expect(nameOf(answer)).toMatch(/^deploy-bot-[0-9a-f]{10}$/);
    expect(new Set(answers.map(nameOf)).size).toBe(3);
  });

  test('is recorded as the last use of the token', async () => {
    const unused = await createProvisioner(app, organization, 'deploy-bot');
    expect(await lastUse(unused)).toBeNull();
    const refused = await provision({ instance_name: '' }, unused);
    expect([refused.status, await lastUse(unused)]).toEqual([400, null]);
    await provision({}, unused);
    expect(await lastUse(unused)).toEqual(expect.any(Date));
  });

  test('refuses a name that another instance of the agent has, and only there', async () => {
    await provision({ instance_name: 'taken' });
    const again = await provision({ instance_name: 'taken' });
    expect([again.status, codeOf(again)]).toEqual([409, 'instance_name_taken']);
    const { slug } = await createAgent(app, organization);
    const other = await createProvisioner(app, organization, slug);
    expect((await provision({ instance_name: 'taken' }, other)).status).toBe(201);
  });

  test('keeps every digit of the metadata, and the key __proto__', async () => {
    const metadata = '{ "b": 9007199254740993, "__proto__": {"x": 1.0}, "c": "\\u202e" }';
    const made = await provision(`{"instance_metadata": ${metadata}}`);
    expect(made.status).toBe(201);
    expect(made.text).toContain(`"metadata":${metadata}`);
  });

  test('accepts metadata up to 64 KiB', async () => {
    const ofSize = (bytes: number) =>
      `{"x":"${'é'.repeat(Math.floor((bytes - 8) / 2))}${bytes % 2 ? 'y' : ''}"}`;
    expect((await provision(`{"instance_metadata":${ofSize(65_535)}}`)).status).toBe(201);
    expect((await provision(`{"instance_metadata":${ofSize(65_536)}}`)).status).toBe(201);
    const large = await provision(`{"instance_metadata":${ofSize(65_537)}}`);
    expect([large.status, pointerOf(large)]).toEqual([400, '/instance_metadata']);
  });

  test.each([
    ['a bidirectional name', { instance_name: 'runner\u202egnp.exe' }, '/instance_name'],
    ['an invisible name', { instance_name: '\u200b' }, '/instance_name'],
    ['a blank name', { instance_name: ' ' }, '/instance_name'],
    ['a long name', { instance_name: 'x'.repeat(201) }, '/instance_name'],
    ['null for a name', { instance_name: null }, '/instance_name'],
    ['metadata that is no object', { instance_metadata: [] }, '/instance_metadata'],
    ['a negative lifetime', { ttl_seconds: -1 }, '/ttl_seconds'],
    ['a lifetime in part', { ttl_seconds: 0.5 }, '/ttl_seconds'],
    ['another agent', { agent_slug: 'other-bot' }, '/agent_slug'],
    ['no object', [], ''],
  ])('is refused with %s', async (_what, body, pointer) => {
    const answer = await provision(body);
    expect([answer.status, pointerOf(answer)]).toEqual([400, pointer]);
  });

  test.each([
    ['', 90 * DAY],
    ['"ttl_seconds":0', 90 * DAY],
    ['"ttl_seconds":60', 60_000],
    ['"ttl_seconds":9223372036854775807', 90 * DAY],
  ])('with {%s} gives the credential %d ms', async (member, life) => {
    const { body } = await provision(`{${member}}`);
    const [from, to] = [body['agent_instance']?.['created_at'], body['credential']?.['expires_at']];
    expect(Date.parse(String(to)) - Date.parse(String(from))).toBe(life);
  });

  test('is refused, and leaves nothing behind, when the token was revoked meanwhile', async () => {
    const { slug } = await createAgent(app, organization);
    const token = await createProvisioner(app, organization, slug);
    const late = await app.db.transaction(async (gate) => {
      await gate('agents').where({ organization_id: organization.id, slug }).forUpdate();
      const call = provision({}, token);
      await untilBlocked(gate);
      const path = `/api/v1/agent-provisioners/${token.id}`;
      expect((await organization.owner.http.delete(path)).status).toBe(204);
      return { call };
    });
    expect((await late.call).status).toBe(401);
    // The agent's own.
    expect(await app.db('agent_instances').where({ agent_slug: slug })).toHaveLength(1);
  });

  test('has a credential that ends with its agent, when the agent is archived meanwhile', async () => {
    const { slug } = await createAgent(app, organization);
    const token = await createProvisioner(app, organization, slug);
    const { made, archived } = await app.db.transaction(async (gate) => {
      await gate('agent_provisioners').where({ id: token.id }).forUpdate();
      const made = provision({}, token);
      await untilBlocked(gate);
      const archived = organization.owner.http.delete(`/api/v1/agents/${slug}`);
      await untilBlocked(gate, 2);
      return { made, archived };
    });
    expect([(await made).status, (await archived).status]).toEqual([201, 204]);
    expect(await asks(tokenOf(await made))).toBe(401);
  });

  test('makes an instance for each of twenty replicas that start at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => provision()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(nameOf)).size).toBe(20);
    expect(new Set(answers.map(tokenOf)).size).toBe(20);
  });
});

describe('an idempotency key', () => {
  const body = { instance_metadata: { a: 1, b: [1.0] }, ttl_seconds: 600 };

  test('answers the same instance and token again, with key order and white space free', async () => {
    const key = randomUUID();
    const first = await provision(body, { key });
    const again = await provision(
      '{"ttl_seconds": 600, "instance_metadata": {"b": [1.00], "a": 1e0}}',
      { key },
    );
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body['credential']).toEqual(first.body['credential']);
    expect(again.body['agent_instance']).toEqual(first.body['agent_instance']);
    expect(await asks(tokenOf(again))).toBe(404);
  });

  test('refuses other input', async () => {
    const key = randomUUID();
    await provision({ instance_name: key }, { key });
    for (const other of [
      {},
      { instance_name: 'other' },
      { instance_name: key, ttl_seconds: 1 },
      { instance_name: key, instance_metadata: { a: 1 } },
    ]) {
      const answer = await provision(other, { key });
      expect([answer.status, codeOf(answer)]).toEqual([409, 'idempotency_conflict']);
    }
    expect((await provision({ instance_name: key, ttl_seconds: 0 }, { key })).status).toBe(200);
  });

  test('belongs to the token that was presented', async () => {
    const key = randomUUID();
    const other = await createProvisioner(app, organization, 'deploy-bot');
    const [one, two] = [await provision({}, { key }), await provision({}, { key, ...other })];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(nameOf(two)).not.toBe(nameOf(one));
  });

  test('is not used up by a call that fails', async () => {
    const key = randomUUID();
    await provision({ instance_name: `held ${key}` });
    expect((await provision({ instance_name: `held ${key}` }, { key })).status).toBe(409);
    expect((await provision({ instance_name: `free ${key}` }, { key })).status).toBe(201);
  });

  test.each(['', 'x'.repeat(1_025)])('%j is refused', async (key) => {
    const answer = await provision({}, { key });
    expect([answer.status, pointerOf(answer)]).toEqual([400, '/headers/idempotency-key']);
  });

  test.each(['é', 'x'.repeat(1_024)])('%j is accepted', async (key) => {
    const [made, again] = [await provision({}, { key }), await provision({}, { key })];
    expect([made.status, again.status, tokenOf(again)]).toEqual([201, 200, tokenOf(made)]);
  });

  test('makes one instance when replicas use it at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => provision({ instance_name: key }, { key })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
      expect(new Set(answers.map(tokenOf)).size).toBe(1);
    }
  });

  test('one of two keys with one name wins, and the name is taken for the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = randomUUID();
      const answers = await Promise.all(
        ['a', 'b'].map((part) => provision({ instance_name: name }, { key: `${part} ${name}` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  test('keeps the token so that only the provisioner token opens it', async () => {
    const key = randomUUID();
    const made = await provision({}, { key });
    const row = await app
      .db('instance_operations')
      .where({ key })
      .first<{ sealed_token: Buffer }>('sealed_token');
    const { sealed_token: sealed } = row;
    const token = tokenOf(made);
    for (const spelling of [secretOf(token), ...hashSpellings(secretOf(token))])
      expect(sealed.toString('latin1')).not.toContain(spelling);
    expect(openResponse(responseKey(secretOf(fleet.token)), sealed, idOf(token))).toBe(token);
    const { token_hash: hash } = await app
      .db('agent_provisioners')
      .where({ id: fleet.id })
      .first<{ token_hash: Buffer }>('token_hash');
    // What the service stores opens nothing, nor does a value moved to another credential.
    for (const secret of [
      hash.toString('hex'),
      hash.toString('base64'),
      randomBytes(32).toString('hex'),
    ])
      expect(() => openResponse(responseKey(secret), sealed, idOf(token))).toThrow();
    expect(() => openResponse(hash, sealed, idOf(token))).toThrow();
    expect(() => openResponse(responseKey(secretOf(fleet.token)), sealed, randomUUID())).toThrow();
  });

  test('is free again after seven days, and its answer is purged', async () => {
    const [key, purged] = [randomUUID(), randomUUID()];
    const first = await provision({}, { key });
    await provision({}, { key: purged });
    const age = async (days: number) => {
      const created_at = new Date(Date.now() - days * DAY);
      await app.db('instance_operations').whereIn('key', [key, purged]).update({ created_at });
    };
    await age(6.9);
    await purgeBatch(app.context, new AbortController().signal);
    expect((await provision({}, { key })).status).toBe(200);
    await age(7.1);
    const next = await provision({}, { key });
    expect([next.status, nameOf(next) === nameOf(first)]).toEqual([201, false]);
    expect((await provision({}, { key })).body).toMatchObject({
      credential: next.body['credential'],
    });
    await purgeBatch(app.context, new AbortController().signal);
    const left = await app.db('instance_operations').whereIn('key', [key, purged]).pluck('key');
    expect(left).toEqual([key]);
    // The instance of the first answer still works.
    expect(await asks(tokenOf(first))).toBe(404);
  });
});
