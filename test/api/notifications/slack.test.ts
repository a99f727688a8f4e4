import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { until } from '../../support/waiting.ts';
import {
  now,
  SlackCaller,
  SlackServer,
  type Workspace,
} from '../../support/servers/slack-server.ts';
import { ROUNDS } from '../../support/rounds.ts';

const slack = new SlackServer();
const environment = () => ({ ...slack.environment, COUNTERSIGN_SECRETS_KEY: SECRETS_KEY });
const SECRETS_KEY = randomBytes(32).toString('base64');
let app: TestApp;

beforeAll(async () => {
  await slack.start();
  app = await startApp({ environment: environment() });
});

afterAll(async () => {
  await app.close();
  await slack.stop();
});

interface Scene {
  readonly organization: TestOrganization;
  readonly owner: TestMember;
  readonly workspace: Workspace;
  readonly caller: SlackCaller;
}

const put = (member: TestMember, body: unknown): Promise<Answer> =>
  member.browser.call('PUT', '/api/v1/slack', { body });
const secretsOf = ({ botToken, signingSecret }: Workspace) => ({
  bot_token: botToken,
  signing_secret: signingSecret,
});

async function connected(): Promise<Scene> {
  const organization = await createOrganization(app);
  const workspace = slack.addWorkspace();
  const answer = await put(organization.owner, secretsOf(workspace));
  expect(answer.status).toBe(200);
  return {
    organization,
    owner: organization.owner,
    workspace,
    caller: new SlackCaller(app.url, slack, workspace),
  };
}

async function codeOf(member: TestMember): Promise<string> {
  const begun = await member.browser.post('/api/v1/me/slack/link');
  expect(begun.status).toBe(201);
  expect(begun.body['command']).toBe(`/countersign link ${String(begun.body['code'])}`);
  return String(begun.body['code']);
}

const linkOf = async (member: TestMember): Promise<unknown> =>
  (await member.http.get('/api/v1/me/slack')).body['slack_user_id'];
const said = (answer: Answer): string => {
  expect(answer.status).toBe(200);
  expect(answer.body['response_type']).toBe('ephemeral');
  return String(answer.body['text']);
};

const eventsOf = async (
  organizationId: string,
  prefix: string,
): Promise<{ event_type: string; actor_id: string; data: unknown }[]> =>
  await app
    .db('audit_events')
    .where({ organization_id: organizationId })
    .andWhereLike('event_type', `${prefix}%`)
    .orderBy('sequence')
    .select('event_type', 'actor_id', 'data');

describe('connecting a workspace', () => {
  test('tests the token, never returns a secret, and appears as a notification channel', async () => {
    const organization = await createOrganization(app);
    const workspace = slack.addWorkspace();
    const answer = await put(organization.owner, {
      ...secretsOf(workspace),
      default_channel: 'C0789JKLM',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      team_id: workspace.teamId,
      bot_user_id: 'UBOT',
      default_channel: 'C0789JKLM',
    });
    const read = await organization.owner.http.get('/api/v1/slack');
    expect(read.body['connection']).toEqual(answer.body);
    const channel = await app
      .db('notification_channels')
      .where({ id: String(answer.body['channel_id']) })
      .first('kind', 'organization_id');
    expect(channel).toEqual({ kind: 'slack', organization_id: organization.id });
    const kept = JSON.stringify(
      await app.db('slack_connections').where({ organization_id: organization.id }),
    );
    const events = await eventsOf(organization.id, 'slack_connection.');
    expect(events.map(({ event_type }) => event_type)).toEqual(['slack_connection.connected']);
    for (const secret of [workspace.botToken, workspace.signingSecret]) {
      const base64 = Buffer.from(secret).toString('base64').slice(4, -4);
      for (const text of [answer.text, read.text, kept, JSON.stringify(events), app.log.join('')]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(base64);
      }
    }
  });

  test('keeps an absent secret, and the links, while the workspace is the same', async () => {
    const { organization, owner, workspace, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const changed = await put(owner, { default_channel: 'G0001' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ team_id: workspace.teamId, default_channel: 'G0001' });
    expect(await linkOf(owner)).toBe('U1');
    expect(said(await caller.command('U1', 'help'))).toContain('is linked');
    const events = await eventsOf(organization.id, 'slack_connection.');
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'slack_connection.connected',
      'slack_connection.changed',
    ]);
  });

  test('applies two concurrent changes: an absent secret keeps its latest value', async () => {
    const { owner, workspace } = await connected();
    const held = slack.calls.length;
    const release = slack.holdNext('auth.test');
    const later = put(owner, { default_channel: 'G0002' });
    await until('the first change asks Slack', () => slack.calls.length > held);
    const signingSecret = 'a'.repeat(32);
    expect((await put(owner, { signing_secret: signingSecret })).status).toBe(200);
    release();
    expect((await later).body).toMatchObject({ default_channel: 'G0002' });
    const caller = new SlackCaller(app.url, slack, { ...workspace, signingSecret });
    expect((await caller.command('U1', 'help')).status).toBe(200);
  });

  test('does not restore a connection that was removed during a change', async () => {
    const { owner } = await connected();
    const held = slack.calls.length;
    const release = slack.holdNext('auth.test');
    const later = put(owner, { default_channel: 'G0002' });
    await until('the change asks Slack', () => slack.calls.length > held);
    expect((await owner.browser.delete('/api/v1/slack')).status).toBe(204);
    release();
    expect((await later).status).toBe(400);
    expect((await owner.http.get('/api/v1/slack')).body).toEqual({ connection: null });
  });

  test('of another kind ends the links of the previous workspace, whose calls are refused', async () => {
    const { owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect((await put(owner, secretsOf(slack.addWorkspace()))).status).toBe(200);
    expect(await linkOf(owner)).toBe(null);
    expect((await caller.command('U1', 'help')).status).toBe(401);
  });

  test('is undone with everything that depends on it, and undoing can be repeated', async () => {
    const { organization, owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect((await owner.browser.delete('/api/v1/slack')).status).toBe(204);
    expect((await owner.browser.delete('/api/v1/slack')).status).toBe(204);
    expect((await owner.http.get('/api/v1/slack')).body).toEqual({ connection: null });
    expect(await linkOf(owner)).toBe(null);
    expect((await caller.command('U1', 'help')).status).toBe(401);
    expect((await owner.browser.post('/api/v1/me/slack/link')).body['error']?.['code']).toBe(
      'slack_not_connected',
    );
    expect((await eventsOf(organization.id, 'slack_connection.disconnected')).length).toBe(1);
  });

  test.each([
    ['no secret at all', {}, ['/bot_token', '/signing_secret']],
    ['no signing secret', { bot_token: 'xoxb-0123456789' }, ['/signing_secret']],
    [
      'a token of a person',
      { bot_token: 'xoxp-0123456789', signing_secret: '0123456789abcdef' },
      ['/bot_token'],
    ],
    [
      'a token that Slack does not know',
      { bot_token: 'xoxb-0123456789', signing_secret: '0123456789abcdef' },
      ['/bot_token'],
    ],
    [
      'a channel by name',
      {
        bot_token: 'xoxb-0123456789',
        signing_secret: '0123456789abcdef',
        default_channel: '#general',
      },
      ['/default_channel'],
    ],
  ])('refuses %s', async (_what, body, pointers) => {
    const { owner } = await createOrganization(app);
    const { status, body: answer } = await put(owner, body);
    expect(status).toBe(400);
    expect(
      (answer['error']?.['details']?.['issues'] ?? []).map((issue) => String(issue['pointer'])),
    ).toEqual(pointers);
  });

  test.each([
    ['is away', { kind: 'status', status: 503 }],
    ['limits calls', { kind: 'limited', retryAfter: 30 }],
    ['answers no JSON', { kind: 'garbage' }],
    ['has a fault of its own', { kind: 'error', error: 'internal_error' }],
  ] as const)('answers 504 when Slack %s, and changes nothing', async (_what, misbehavior) => {
    const { owner } = await createOrganization(app);
    const workspace = slack.addWorkspace();
    slack.misbehavior.set('auth.test', misbehavior);
    const answer = await put(owner, secretsOf(workspace));
    slack.misbehavior.clear();
    expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
      status: 504,
      code: 'slack_failed',
    });
    expect((await owner.http.get('/api/v1/slack')).body).toEqual({ connection: null });
  });

  test('refuses the workspace of another organization until that one is deleted', async () => {
    const { organization, workspace } = await connected();
    const { owner } = await createOrganization(app);
    const taken = await put(owner, secretsOf(workspace));
    expect({ status: taken.status, code: taken.body['error']?.['code'] }).toEqual({
      status: 409,
      code: 'slack_workspace_taken',
    });
    await app.db('organizations').where({ id: organization.id }).update({ deleted_at: new Date() });
    expect((await put(owner, secretsOf(workspace))).status).toBe(200);
  });

  test('can be undone only in a recent session, never by a key', async () => {
    const { owner } = await connected();
    expect((await owner.http.delete('/api/v1/slack')).body['error']?.['code']).toBe(
      'session_required',
    );
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect((await owner.browser.delete('/api/v1/slack')).body['error']?.['code']).toBe(
      'reauthentication_required',
    );
    expect((await owner.http.get('/api/v1/slack')).body['connection']).not.toBeNull();
  });

  test('needs a recent session', async () => {
    const { owner } = await createOrganization(app);
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    const answer = await put(owner, secretsOf(slack.addWorkspace()));
    expect(answer.body['error']?.['code']).toBe('reauthentication_required');
  });

  test('without a secrets key is 501, and nothing is sent to Slack', async () => {
    const bare = await startApp({ environment: slack.environment });
    try {
      const { owner } = await createOrganization(bare);
      const calls = slack.calls.length;
      const answer = await put(owner, secretsOf(slack.addWorkspace()));
      expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
        status: 501,
        code: 'secrets_key_missing',
      });
      expect(slack.calls.length).toBe(calls);
    } finally {
      await bare.close();
    }
  });
});

describe('a call that claims to come from Slack', () => {
  let scene: Scene;
  let other: Scene;
  beforeAll(async () => {
    [scene, other] = [await connected(), await connected()];
  });

  const paths = ['/auth/slack/commands', '/auth/slack/interactions'] as const;
  const formOf = (path: string): string =>
    path.endsWith('commands')
      ? scene.caller.commandForm('U1', 'help')
      : scene.caller.clickForm('U1', undefined);

  const forgeries: readonly (readonly [string, (path: string) => Promise<Answer>])[] = [
    [
      'with a wrong secret',
      (path) => scene.caller.send(path, formOf(path), { secret: 'f'.repeat(32) }),
    ],
    [
      "with another organization's secret",
      (path) => scene.caller.send(path, formOf(path), { secret: other.workspace.signingSecret }),
    ],
    ['with an empty secret', (path) => scene.caller.send(path, formOf(path), { secret: '' })],
    [
      'six minutes old',
      (path) => scene.caller.send(path, formOf(path), { timestamp: now() - 360 }),
    ],
    [
      'from six minutes in the future',
      (path) => scene.caller.send(path, formOf(path), { timestamp: now() + 360 }),
    ],
    ['of no time', (path) => scene.caller.send(path, formOf(path), { timestamp: NaN })],
    [
      'with a signature of no version',
      (path) => scene.caller.send(path, formOf(path), { signature: '0'.repeat(64) }),
    ],
    [
      'with a short signature',
      (path) => scene.caller.send(path, formOf(path), { signature: 'v0=00' }),
    ],
    ['with an empty signature', (path) => scene.caller.send(path, formOf(path), { signature: '' })],
    ['without a signature', (path) => scene.caller.raw(path, formOf(path), {})],
    [
      'of an unknown workspace',
      (path) => scene.caller.send(path, formOf(path).replaceAll(scene.workspace.teamId, 'TNOBODY')),
    ],
    ['that is no form', (path) => scene.caller.send(path, '{"team_id":')],
    ['that is empty', (path) => scene.caller.send(path, '')],
  ];

  test.each(paths.flatMap((path) => forgeries.map(([what, forge]) => ({ path, what, forge }))))(
    'at $path $what is refused',
    async ({ path, forge }) => {
      const answer = await forge(path);
      expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
        status: 401,
        code: 'authentication_required',
      });
    },
  );

  test.each(paths)(
    'at %s is refused when its body, its time or one of its headers was changed',
    async (path) => {
      const body = formOf(path);
      const at = now();
      const signature = `v0=${createHmac('sha256', scene.workspace.signingSecret).update(`v0:${at}:${body}`).digest('hex')}`;
      const headers = { 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature };
      expect((await scene.caller.raw(path, `${body}&x=1`, headers)).status).toBe(401);
      expect((await scene.caller.raw(path, body.replace('U1', 'U2'), headers)).status).toBe(401);
      expect(
        (
          await scene.caller.raw(path, body, {
            ...headers,
            'x-slack-request-timestamp': String(at + 1),
          })
        ).status,
      ).toBe(401);
      expect((await scene.caller.raw(path, body, headers)).status).toBe(200);
    },
  );

  test('is accepted once, whichever process gets the repetition', async () => {
    const second = await startApp({ databaseUrl: app.databaseUrl, environment: environment() });
    try {
      const body = scene.caller.commandForm('U1', 'help');
      const at = now();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          new SlackCaller(index % 2 ? app.url : second.url, slack, scene.workspace).send(
            '/auth/slack/commands',
            body,
            { timestamp: at },
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(9).fill(401),
      ]);
    } finally {
      await second.close();
    }
  });

  test('must be a form', async () => {
    const answer = await scene.caller.raw('/auth/slack/commands', '{}', {
      'content-type': 'application/json',
    });
    expect(answer.status).toBe(415);
  });
});

describe('linking', () => {
  test('starts in a session, ends in Slack with a code, and is in the audit log', async () => {
    const { organization, caller } = await connected();
    const member = await createMember(app, organization.id);
    const text = said(await caller.command('U77', `link ${(await codeOf(member)).toLowerCase()}`));
    expect(text).toContain(member.displayName);
    expect(text).toContain(member.email);
    expect((await member.http.get('/api/v1/me/slack')).body).toMatchObject({
      slack_user_id: 'U77',
      linked_at: expect.any(String),
    });
    const events = await eventsOf(organization.id, 'membership.slack_');
    expect(events).toEqual([
      {
        event_type: 'membership.slack_linked',
        actor_id: member.membershipId,
        data: '{"slack_user_id":"U77"}',
      },
    ]);
  });

  test('can be undone from either side', async () => {
    const { organization, owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect(said(await caller.command('U1', 'unlink'))).toBe(
      'Your Slack account is no longer linked.',
    );
    expect(said(await caller.command('U1', 'unlink'))).toContain('was not linked');
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect((await owner.browser.delete('/api/v1/me/slack')).status).toBe(204);
    expect((await owner.browser.delete('/api/v1/me/slack')).status).toBe(204);
    expect(await linkOf(owner)).toBe(null);
    const events = await eventsOf(organization.id, 'membership.slack_');
    expect(events.map(({ event_type }) => event_type.replace('membership.slack_', ''))).toEqual([
      'linked',
      'unlinked',
      'linked',
      'unlinked',
    ]);
  });

  test('accepts a code once, even if many use it at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { owner, caller } = await connected();
      const code = await codeOf(owner);
      const answers = await Promise.all(
        ['U1', 'U2', 'U3'].map((user) => caller.command(user, `link ${code}`)),
      );
      expect(
        answers.map(said).filter((text) => text.startsWith('Your Slack account is now linked')),
      ).toHaveLength(1);
    }
  });

  test('refuses a code that is used, replaced, withdrawn, expired, or of another organization', async () => {
    const { organization, owner, caller } = await connected();
    const elsewhere = await connected();
    const used = await codeOf(owner);
    await caller.command('U1', `link ${used}`);
    const member = await createMember(app, organization.id);
    const replaced = await codeOf(member);
    const current = await codeOf(member);
    expect(said(await elsewhere.caller.command('U5', `link ${current}`))).toContain('wrong');
    for (const code of [used, replaced, '', 'AAAA-AAAA-AAAA-AAAA']) {
      expect(said(await caller.command('U5', `link ${code}`))).toContain('wrong');
    }
    await app
      .db('slack_link_codes')
      .where({ membership_id: member.membershipId })
      .update({ expires_at: new Date(Date.now() - 1) });
    expect(said(await caller.command('U5', `link ${current}`))).toContain('wrong');
    const withdrawn = await codeOf(member);
    await member.browser.delete('/api/v1/me/slack');
    expect(said(await caller.command('U5', `link ${withdrawn}`))).toContain('wrong');
    expect(await linkOf(member)).toBe(null);
  });

  test('refuses only the guessing Slack user for ten minutes, even with the correct code', async () => {
    const { owner, caller } = await connected();
    const code = await codeOf(owner);
    for (let guess = 0; guess < 10; guess++)
      expect(said(await caller.command('UEVIL', `link 0000-0000-0000-000${guess}`))).toContain(
        'wrong',
      );
    expect(said(await caller.command('UEVIL', `link ${code}`))).toContain('Too many attempts');
    expect(said(await caller.command('U1', `link ${code}`))).toContain('is now linked');
  });

  test("does not replace another member's Slack user, and keeps the code for the right one", async () => {
    const { organization, owner, caller } = await connected();
    const member = await createMember(app, organization.id);
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const code = await codeOf(member);
    expect(said(await caller.command('U1', `link ${code}`))).toContain('another member');
    expect(said(await caller.command('U2', `link ${code}`))).toContain('is now linked');
    expect([await linkOf(owner), await linkOf(member)]).toEqual(['U1', 'U2']);
  });

  test('again replaces the old Slack user, who can do nothing afterwards', async () => {
    const { owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect(said(await caller.command('U2', `link ${await codeOf(owner)}`))).toContain(
      'is now linked',
    );
    expect(await linkOf(owner)).toBe('U2');
    expect(said(await caller.command('U1', 'help'))).toContain('not linked to a member');
  });

  test('is refused for a member who was suspended meanwhile', async () => {
    const { organization, caller } = await connected();
    const member = await createMember(app, organization.id);
    const code = await codeOf(member);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    expect(said(await caller.command('U1', `link ${code}`))).toContain('wrong');
  });

  test('never uses email: equal addresses in Slack and here link no one', async () => {
    const { owner, caller } = await connected();
    expect(said(await caller.command('U1', `link ${owner.email}`))).toContain('wrong');
    expect(slack.calls.filter((method) => method.startsWith('users.'))).toEqual([]);
  });

  test('ends when the member is removed, and does not return with the member', async () => {
    const { organization, owner, caller } = await connected();
    const member = await createMember(app, organization.id);
    await caller.command('U1', `link ${await codeOf(member)}`);
    const code = await codeOf(member);
    expect((await owner.browser.delete(`/api/v1/members/${member.membershipId}`)).status).toBe(204);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(said(await caller.command('U1', 'help'))).toContain('not linked to a member');
    expect(said(await caller.command('U1', `link ${code}`))).toContain('wrong');
  });

  test('ends with the notification channel of Slack, and so do the secrets', async () => {
    const { organization, owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const channelId = String(
      (await owner.http.get('/api/v1/slack')).body['connection']?.['channel_id'],
    );
    expect((await owner.browser.delete(`/api/v1/notification_channels/${channelId}`)).status).toBe(
      204,
    );
    expect(await linkOf(owner)).toBe(null);
    expect((await caller.command('U1', 'help')).status).toBe(401);
    expect(await app.db('slack_connections').where({ organization_id: organization.id })).toEqual(
      [],
    );
  });

  test('needs a recent session, never a key', async () => {
    const { owner } = await connected();
    expect((await owner.http.post('/api/v1/me/slack/link')).body['error']?.['code']).toBe(
      'session_required',
    );
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect((await owner.browser.post('/api/v1/me/slack/link')).body['error']?.['code']).toBe(
      'reauthentication_required',
    );
  });
});
