/** Connecting the Slack workspace of an organization. */
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';
import { SlackCaller } from '../../support/servers/slack-server.ts';
import {
  codeOf,
  connectSlack,
  connectWith,
  eventsOf,
  linkOf,
  said,
  secretsOf,
} from '../../support/scene/slack-connections.ts';
import { slackForFile } from '../../support/scene/slack-scene.ts';

const { app, slack } = await slackForFile();
const connected = () => connectSlack(app, slack);

/** What a page of Slack shows where no workspace is connected. */
const notConnected = () => ({
  connection: null,
  ...{ linked_members: [], linked_member_count: 0 },
  ...{ unlinked_members: [], unlinked_member_count: 0 },
  configured: true,
  app: {
    interactivity_url: `${app.url}/auth/slack/interactions`,
    command: '/countersign',
    command_url: `${app.url}/auth/slack/commands`,
    bot_scopes: ['chat:write', 'im:write', 'commands'],
  },
});

describe('connecting a workspace', () => {
  test('tests the token, never returns a secret, and appears as a notification channel', async () => {
    const organization = await createOrganization(app);
    const workspace = slack.addWorkspace();
    const answer = await connectWith(organization.owner, {
      ...secretsOf(workspace),
      default_channel: 'C0789JKLM',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      channel_id: expect.any(String),
      team_id: workspace.teamId,
      team_name: `Team ${workspace.teamId}`,
      bot_user_id: 'UBOT',
      default_channel: 'C0789JKLM',
      connected_at: expect.any(String),
      updated_at: expect.any(String),
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
    const events = await eventsOf(app, organization.id, 'slack_connection.');
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
    const { organization, owner, caller } = await connected();
    const connection: unknown = (await owner.http.get('/api/v1/slack')).body['connection'];
    await caller.command('U1', `link ${await codeOf(owner)}`);
    const changed = await connectWith(owner, { default_channel: 'G0001' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...(connection as object),
      default_channel: 'G0001',
      updated_at: expect.any(String),
    });
    expect(await linkOf(owner)).toBe('U1');
    expect(said(await caller.command('U1', 'help'))).toContain('is linked');
    const events = await eventsOf(app, organization.id, 'slack_connection.');
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'slack_connection.connected',
      'slack_connection.changed',
    ]);
  });

  test('applies two concurrent changes: an absent secret keeps its latest value', async () => {
    const { owner, workspace } = await connected();
    const held = slack.calls.length;
    const release = slack.holdNext('auth.test');
    const later = connectWith(owner, { default_channel: 'G0002' });
    await until('the first change asks Slack', () => slack.calls.length > held);
    const signingSecret = 'a'.repeat(32);
    expect((await connectWith(owner, { signing_secret: signingSecret })).status).toBe(200);
    release();
    expect((await later).status).toBe(200);
    const { connection } = (await owner.http.get('/api/v1/slack')).body;
    expect(connection?.['default_channel']).toBe('G0002');
    const caller = new SlackCaller(app.url, slack, { ...workspace, signingSecret });
    expect((await caller.command('U1', 'help')).status).toBe(200);
  });

  test('says what is wrong with the token of a whole Slack organization', async () => {
    const { owner } = await connected();
    slack.misbehavior.set('auth.test', { kind: 'org_wide' });
    const refused = await connectWith(owner, { default_channel: 'G0002' });
    slack.misbehavior.clear();
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('use the bot token of that workspace');
  });

  test('does not restore a connection that was removed during a change', async () => {
    const { owner } = await connected();
    const held = slack.calls.length;
    const release = slack.holdNext('auth.test');
    const later = connectWith(owner, { default_channel: 'G0002' });
    await until('the change asks Slack', () => slack.calls.length > held);
    expect((await owner.browser.delete('/api/v1/slack')).status).toBe(204);
    release();
    expect((await later).status).toBe(400);
    expect((await owner.http.get('/api/v1/slack')).body).toEqual(notConnected());
  });

  test('of another kind ends the links of the previous workspace, whose calls are refused', async () => {
    const { owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect((await connectWith(owner, secretsOf(slack.addWorkspace()))).status).toBe(200);
    expect(await linkOf(owner)).toBe(null);
    expect((await caller.command('U1', 'help')).status).toBe(401);
  });

  test('is undone with everything that depends on it, and undoing can be repeated', async () => {
    const { organization, owner, caller } = await connected();
    await caller.command('U1', `link ${await codeOf(owner)}`);
    expect((await owner.browser.delete('/api/v1/slack')).status).toBe(204);
    expect((await owner.browser.delete('/api/v1/slack')).status).toBe(204);
    expect((await owner.http.get('/api/v1/slack')).body).toEqual(notConnected());
    expect(await linkOf(owner)).toBe(null);
    expect((await caller.command('U1', 'help')).status).toBe(401);
    expect((await owner.browser.post('/api/v1/me/slack/link')).body['error']?.['code']).toBe(
      'slack_not_connected',
    );
    expect((await eventsOf(app, organization.id, 'slack_connection.disconnected')).length).toBe(1);
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
    const { status, body: answer } = await connectWith(owner, body);
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
    const answer = await connectWith(owner, secretsOf(workspace));
    slack.misbehavior.clear();
    expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
      status: 504,
      code: 'slack_failed',
    });
    expect((await owner.http.get('/api/v1/slack')).body).toEqual(notConnected());
  });

  test('refuses the workspace of another organization until that one is deleted', async () => {
    const { organization, workspace } = await connected();
    const { owner } = await createOrganization(app);
    const taken = await connectWith(owner, secretsOf(workspace));
    expect({ status: taken.status, code: taken.body['error']?.['code'] }).toEqual({
      status: 409,
      code: 'slack_workspace_taken',
    });
    await app.db('organizations').where({ id: organization.id }).update({ deleted_at: new Date() });
    expect((await connectWith(owner, secretsOf(workspace))).status).toBe(200);
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
    const answer = await connectWith(owner, secretsOf(slack.addWorkspace()));
    expect(answer.body['error']?.['code']).toBe('reauthentication_required');
  });

  test('without a secrets key is 501, and nothing is sent to Slack', async () => {
    const bare = await startApp({ environment: slack.environment });
    try {
      const { owner } = await createOrganization(bare);
      const calls = slack.calls.length;
      const answer = await connectWith(owner, secretsOf(slack.addWorkspace()));
      expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
        status: 501,
        code: 'secrets_key_missing',
      });
      expect(slack.calls.length).toBe(calls);
      expect((await owner.http.get('/api/v1/slack')).body['configured']).toBe(false);
    } finally {
      await bare.close();
    }
  });
});
