/**
 * What a decision depends on changes between its statements, or inside the one that decides: the
 * answer is the same as if the change had come first.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ApiResponse, HttpClient } from '../../support/http.ts';
import { through, type Gate } from '../../support/gates.ts';
import { outcome } from '../../support/refusals.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createTeam, type TestMember } from '../../support/scene/factories.ts';
import { asked, click, createScene, slackEnvironment } from '../../support/scene/slack-scene.ts';
import { setMembers, TEAMS } from '../../support/scene/teams.ts';
import { SlackServer } from '../../support/servers/slack-server.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { untilBlocked } from '../../support/waiting.ts';

const slack = new SlackServer();
await slack.start();
afterAll(() => slack.stop());

const { app, organization, owner, people, ...verbs } = await scene({
  app: {
    environment: {
      ...slackEnvironment(slack),
      SMTP_URL: 'smtp://127.0.0.1:9',
      SMTP_FROM: 'a@example.com',
    },
  },
  people: { bob: REVIEWER, eve: REVIEWER },
  paths: { levels: [['bob'], ['eve']] },
  pipelines: { bot: 'levels', free: {} },
});
const { ask, askOn, decide, claimed, withdraw, suspend, remove, person, later, read } = verbs;
const { verbsOf, reachLapse } = verbs;
const { bob, eve } = people;

const DECIDING = 'from organizations o';
const places = ['before', 'within'] as const;
/** Where the statement looks at the credential. It holds it before it reads the organization. */
const HOLDING = { browser: 'from sessions s where s.id', http: 'from api_keys k where k.id' };

/** The answer to a decision during which this happens. */
async function decideDuring(
  client: HttpClient,
  id: string,
  gate: Omit<Gate, 'of'> & Partial<Pick<Gate, 'of'>>,
): Promise<ApiResponse> {
  return await through(app, { of: DECIDING, ...gate }, () => decide(client, id));
}

describe('a decision during which nothing changes', () => {
  test.each(['http', 'browser'] as const)(
    'takes three statements and no transaction: %s',
    async (credential) => {
      await decide(bob[credential], await ask());
      const id = await ask();
      const answers: ApiResponse[] = [];
      const statements = await statementsDuring(app, async () => {
        answers.push(await decide(bob[credential], id));
      });
      expect(answers.map(outcome)).toEqual(['200']);
      expect(statements).toHaveLength(3);
    },
  );

  test.each(places)('is written by the statement with the gate: %s', async (at) => {
    const id = await ask();
    const statements = await statementsDuring(app, async () => {
      const answer = await decideDuring(bob.browser, id, { at, happens: () => Promise.resolve() });
      expect(outcome(answer)).toBe('200');
    });
    expect(statements.filter((sql) => sql.includes('insert into decisions'))).toHaveLength(1);
  });
});

describe.each(places)('what someone may do ends %s the statement that decides', (at) => {
  const policyOf = async ({ membershipId }: TestMember) => {
    const at = `/api/v1/members/${membershipId}/permission_policies`;
    const [id = ''] = await app
      .db('permission_policies')
      .where({ membership_id: membershipId })
      .pluck<string[]>('id');
    return `${at}/${id}`;
  };
  const allowKeys = async (personal_api_keys_allowed: boolean) => {
    const { headers } = await owner.browser.get('/api/v1/organization');
    return await owner.browser.call('PATCH', '/api/v1/organization', {
      body: { settings: { personal_api_keys_allowed } },
      headers: { 'if-match': headers['etag'] ?? '' },
    });
  };

  test.each<[string, (member: TestMember) => Promise<ApiResponse>, string]>([
    ['suspended', suspend, '403 membership_inactive'],
    ['removed', remove, '401 authentication_required'],
    [
      'left without the policy',
      async (member) => owner.browser.delete(await policyOf(member)),
      '403 permission_denied',
    ],
    [
      'left with reading',
      async (member) =>
        owner.browser.call('PUT', await policyOf(member), {
          body: {
            revision: 1,
            scope_kind: 'organization',
            resource_ids: [],
            permissions: ['request.read'],
          },
        }),
      '403 permission_denied',
    ],
  ])('a member is %s', async (_how, change, expected) => {
    const member = await person(REVIEWER);
    const id = await ask({ agent: 'free' });
    const answer = await decideDuring(member.browser, id, {
      at,
      // A removal ends sessions, so it would wait for a statement that already holds one.
      ...(change === remove && { of: HOLDING.browser }),
      happens: async () => {
        expect((await change(member)).status).toBeLessThan(300);
      },
    });
    expect(outcome(answer)).toBe(expected);
    expect(await read(id)).toMatchObject({ status: 'pending' });
  });

  test('a member leaves the team that the path asks', async () => {
    const member = await person(REVIEWER);
    const team = await createTeam(app, organization.id, { members: [member, eve] });
    const level = { type: 'level', escalate_after: '10m' };
    const id = await askOn([
      { ...level, id: randomUUID(), targets: [{ type: 'team', id: team }] },
      ['eve'],
    ]);
    const happens = async () => {
      const changed = await setMembers(owner.browser, team, [eve.membershipId]);
      expect(changed.status).toBe(200);
    };
    expect(outcome(await decideDuring(member.http, id, { at, happens }))).toBe(
      '403 request_not_routed',
    );
    expect(await read(id)).toMatchObject({ status: 'pending' });
  });

  test('the team is archived that lets a member decide', async () => {
    const member = await person(['request.read']);
    const policies = [everywhere('request.decide')];
    const team = await createTeam(app, organization.id, { members: [member], policies });
    const id = await ask({ agent: 'free' });
    const happens = async () => {
      expect((await owner.browser.delete(`${TEAMS}/${team}`)).status).toBe(204);
    };
    expect(outcome(await decideDuring(member.http, id, { at, happens }))).toBe(
      '403 permission_denied',
    );
    expect(await read(id)).toMatchObject({ status: 'pending' });
  });

  test('keys of people', async () => {
    const id = await ask();
    const happens = async () => {
      expect((await allowKeys(false)).status).toBe(200);
    };
    const answer = await decideDuring(bob.http, id, { at, happens }).finally(() => allowKeys(true));
    expect(outcome(answer)).toBe('403 api_keys_disabled');
    expect(await read(id)).toMatchObject({ status: 'pending' });
  });
});

describe.each(places)('the request changes %s the statement that decides', (at) => {
  test.each<[string, (id: string) => Promise<unknown>, string]>([
    ['denied by someone else', (id) => decide(owner, id, { status: 'denied' }), 'denied'],
    ['withdrawn', withdraw, 'cancelled'],
  ])('it is %s', async (_how, change, status) => {
    const id = await ask();
    const answer = await decideDuring(bob.http, id, { at, happens: () => change(id) });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: 'already_terminal', details: { status } } },
    });
    expect(await read(id)).toMatchObject({ status });
  });

  test('someone claims it, and the claim lapses: the lapse is recorded first', async () => {
    const id = await ask();
    const happens = async () => {
      await claimed(owner, id);
      await reachLapse(id);
    };
    expect(outcome(await decideDuring(bob.http, id, { at, happens }))).toBe('200');
    expect((await verbsOf(id)).slice(-3)).toEqual(['claimed', 'claim_lapsed', 'approved']);
  });

  test('the next level is notified: its messages are withdrawn too', async () => {
    const id = await ask();
    await decideDuring(bob.http, id, { at, happens: () => later(id) });
    const messages = await app
      .db('notification_deliveries')
      .where({ request_id: id, event: 'notified' })
      .select<{ dropped_reason: string | null }[]>('dropped_reason');
    expect(messages.map((message) => message.dropped_reason)).toEqual([
      'request_closed',
      'request_closed',
    ]);
  });
});

describe.each(places)('the credential changes %s the statement that decides', (at) => {
  const sessions = ({ membershipId }: TestMember) =>
    app.db('sessions').where({ membership_id: membershipId });
  const keys = ({ membershipId }: TestMember) =>
    app.db('api_keys').where({ membership_id: membershipId });
  const ended = () => new Date(Date.now() - 1);

  test.each<[string, 'http' | 'browser', (member: TestMember) => PromiseLike<unknown>]>([
    ['the session signs out', 'browser', ({ browser }) => browser.post('/auth/logout')],
    [
      'the session expires',
      'browser',
      (member) => sessions(member).update({ expires_at: ended() }),
    ],
    [
      'the session is idle for a day',
      'browser',
      (member) => sessions(member).update({ last_seen_at: new Date(Date.now() - 86_400_000) }),
    ],
    [
      'the key is revoked',
      'http',
      ({ browser, apiKeyId }) => browser.delete(`/api/v1/me/api_keys/${apiKeyId}`),
    ],
    ['the key expires', 'http', (member) => keys(member).update({ expires_at: ended() })],
  ])('%s: refused', async (_how, credential, change) => {
    const member = await person(REVIEWER);
    const id = await ask({ agent: 'free' });
    const happens = async () => await change(member);
    const answer = await decideDuring(member[credential], id, {
      at,
      of: HOLDING[credential],
      happens,
    });
    expect(outcome(answer)).toBe('401 authentication_required');
    expect(await read(id)).toMatchObject({ status: 'pending' });
  });

  test.each<[string, Record<string, unknown>]>([
    ['authenticated_at', { authenticated_at: '2026-01-01T00:00:00.000Z' }],
    ['assurance', { assurance: 'strong' }],
    ['method', { method: 'local_password_totp' }],
  ])('the session gets another %s, which the decision records', async (column, change) => {
    const member = await person(REVIEWER);
    const id = await ask({ agent: 'free' });
    const happens = async () => await sessions(member).update(change);
    const answer = await decideDuring(member.browser, id, { at, of: HOLDING.browser, happens });
    expect(answer.body['decision']?.['authentication']?.[column as 'id']).toBe(change[column]);
  });
});

test.each(['organizations', 'approval_requests'])(
  'a session that is revoked while others lock the row of %s is refused',
  async (table) => {
    const member = await person(REVIEWER);
    const request = await ask({ agent: 'free' });
    const id = table === 'organizations' ? organization.id : request;
    const { answered } = await app.db.transaction(async (gate) => {
      await gate(table).where({ id }).forUpdate().first('id');
      const begun = decide(member.browser, request);
      await untilBlocked(gate);
      await app
        .db('sessions')
        .where({ membership_id: member.membershipId })
        .update({ revoked_at: new Date(Date.now() - 1) });
      return { answered: begun };
    });
    expect(outcome(await answered)).toBe('401 authentication_required');
    expect(await read(request)).toMatchObject({ status: 'pending' });
  },
);

/** Calls that begin while a statement decides. It has locked and compared when it waits for the end of its key. */
async function whileDeciding(
  client: HttpClient,
  id: string,
  begin: readonly (() => Promise<ApiResponse>)[],
): Promise<string[]> {
  const key = randomUUID();
  const other = await ask({ agent: 'free' });
  const gate = await app.db.transaction();
  await gate('decisions').insert({
    id: randomUUID(),
    request_id: other,
    organization_id: organization.id,
    membership_id: owner.membershipId,
    status: 'denied',
    channel: 'api',
    authentication: '{}',
    idempotency_key: key,
    decided_at: new Date(),
  });
  const calls: Promise<ApiResponse>[] = [];
  try {
    for (const call of [() => decide(client, id, { status: 'approved' }, key), ...begin]) {
      calls.push(call());
      await untilBlocked(gate, calls.length);
    }
  } finally {
    await gate.rollback();
  }
  return (await Promise.all(calls)).map(outcome);
}

describe('what begins while the statement decides waits for it: the decision came first', () => {
  test('a suspension, and another decision', async () => {
    const member = await person(REVIEWER);
    const id = await ask({ agent: 'free' });
    const others = [() => suspend(member), () => decide(owner, id, { status: 'denied' })];
    expect(await whileDeciding(member.http, id, others)).toEqual([
      '200',
      '200',
      '409 already_terminal',
    ]);
  });

  test.each<['browser' | 'http', string, (member: TestMember) => Promise<ApiResponse>]>([
    ['browser', 'the end of its session', ({ browser }) => browser.post('/auth/logout')],
    [
      'http',
      'the end of its key',
      ({ browser, apiKeyId }) => browser.delete(`/api/v1/me/api_keys/${apiKeyId}`),
    ],
  ])('by %s: %s', async (credential, _what, end) => {
    const member = await person(REVIEWER);
    const id = await ask({ agent: 'free' });
    const ends = [() => end(member)];
    expect(await whileDeciding(member[credential], id, ends)).toEqual(['200', '204']);
  });
});

describe('a button click in Slack', () => {
  test('is decided by the same statement, and refused when the link or the connection ends before it', async () => {
    const here = await createScene(app, slack);
    const link = app.db('slack_links').where({ slack_user_id: here.slackUser });
    const connection = app.db('slack_connections').where({ organization_id: here.organization.id });
    const clickDuring = async (happens: () => Promise<unknown>) => {
      const { id, post } = await asked(here);
      const gate = { of: DECIDING, at: 'before', happens } as const;
      const text = await through(app, gate, () => click(here, post, 'Approve'));
      return { id, text };
    };
    const unchanged = await clickDuring(() => Promise.resolve());
    expect(unchanged.text).toBe(`Approved by ${here.reviewer.displayName}.`);
    const stored = (await link.clone().first()) as object;
    for (const end of [
      () => link.clone().update({ slack_user_id: 'USOMEONEELSE' }),
      () => link.clone().delete(),
      () => connection.clone().delete(),
    ]) {
      const { id, text } = await clickDuring(async () => await end());
      expect(text).toContain('not linked to a member');
      expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
      await app.db('slack_links').where({ slack_user_id: 'USOMEONEELSE' }).delete();
      if ((await connection.clone().first()) === undefined) return;
      await app.db('slack_links').insert(stored).onConflict().ignore();
    }
  });
});
