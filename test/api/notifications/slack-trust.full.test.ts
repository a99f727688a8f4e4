/** Anyone who knows the secrets of a Slack app can press buttons for every linked person. */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ApiResponse } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import { createMember, type TestMember } from '../../support/scene/factories.ts';
import {
  connectSlack,
  connectWith,
  eventsOf,
  linkOf,
  secretsOf,
  type ConnectedScene,
} from '../../support/scene/slack-connections.ts';
import { asked, createScene, link, newUser } from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { buttonsOf, SlackCaller, SlackServer } from '../../support/servers/slack-server.ts';

const slack = new SlackServer();
const [mail] = await Promise.all([startMailServer(), slack.start()]);
const app = await appForFile({
  environment: {
    ...slack.environment,
    COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    COUNTERSIGN_CREATE_BUDGET: '1s',
    SMTP_URL: mail.url,
  },
});

afterAll(async () => {
  await Promise.all([mail.close(), slack.stop()]);
});

const outcomeOf = ({ status, body }: ApiResponse): unknown => [status, body?.['error']?.['code']];
const newSecret = (): string => randomBytes(16).toString('hex');

const member = ({ organization }: ConnectedScene, ...permissions: readonly string[]) =>
  createMember(app, organization.id, { policies: [{ scope_kind: 'organization', permissions }] });

/** A connected workspace, and a reviewer who is linked. */
async function linked(): Promise<ConnectedScene & { reviewer: TestMember; user: string }> {
  const scene = await connectSlack(app, slack);
  const reviewer = await member(scene, 'request.decide', 'request.read');
  const user = newUser();
  await link(scene.caller, reviewer, user);
  return { ...scene, reviewer, user };
}

describe('a change of the Slack connection', () => {
  test.each([
    ['the signing secret', () => ({ signing_secret: newSecret() })],
    [
      'the bot token',
      ({ workspace }: ConnectedScene) => ({
        bot_token: slack.addWorkspace(workspace.teamId).botToken,
      }),
    ],
    ['the workspace', () => secretsOf(slack.addWorkspace())],
  ])('of %s ends every link, and the people are told', async (_what, change) => {
    const scene = await linked();
    expect((await connectWith(scene.owner, change(scene))).status).toBe(200);
    expect(await linkOf(scene.reviewer)).toBe(null);
    const events = await eventsOf(app, scene.organization.id, 'membership.slack_unlinked');
    expect(events).toEqual([
      {
        event_type: 'membership.slack_unlinked',
        actor_id: scene.owner.membershipId,
        data: JSON.stringify({ slack_user_id: scene.user, reason: 'connection_changed' }),
      },
    ]);
    const { subject, text } = await mail.mailTo(scene.reviewer.email, 2);
    expect(subject).toBe('Your Slack account is no longer linked to Countersign');
    expect(text).toContain(scene.owner.displayName);
    expect(text).toContain('link');
  });

  test('leaves the person who knows the new secret without anyone to speak for', async () => {
    const here = await createScene(app, slack);
    const { id, post } = await asked(here);
    const signing_secret = newSecret();
    const changed = await connectWith(here.organization.owner, { signing_secret });
    expect(changed.status).toBe(200);
    const said = slack.ephemeralTexts.length;
    const attacker = new SlackCaller(app.url, slack, {
      ...here.workspace,
      signingSecret: signing_secret,
    });
    await attacker.click(here.slackUser, buttonsOf(post)['Approve']);
    expect(await slack.ephemeralText(said + 1)).toContain('not linked to a member');
    expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
  });

  test.each([
    ['nothing', () => ({})],
    ['the same secrets', ({ workspace }: ConnectedScene) => secretsOf(workspace)],
    ['the default channel', () => ({ default_channel: 'C0789JKLM' })],
  ])('that changes %s keeps the links, and needs no more rights', async (_what, change) => {
    const scene = await linked();
    const admin = await member(scene, 'connection.write');
    expect((await connectWith(admin, change(scene))).status).toBe(200);
    expect(await linkOf(scene.reviewer)).toBe(scene.user);
  });

  test('needs every right of the people who are linked', async () => {
    const scene = await linked();
    const change = () => connectWith(admin, { signing_secret: newSecret() });
    let admin = await member(scene, 'connection.write');
    const refused = await change();
    expect(outcomeOf(refused)).toEqual([403, 'grant_exceeds_own']);
    expect(refused.body['error']?.['details']).toMatchObject({
      grants: [
        { permission: 'request.decide', scope_kind: 'organization' },
        { permission: 'request.read', scope_kind: 'organization' },
      ],
    });
    expect(await linkOf(scene.reviewer)).toBe(scene.user);
    admin = await member(scene, 'connection.write', 'request.decide', 'request.read');
    expect((await change()).status).toBe(200);
    expect(await linkOf(scene.reviewer)).toBe(null);
  });

  test('needs an owner while an owner is linked', async () => {
    const scene = await connectSlack(app, slack);
    await link(scene.caller, scene.owner, newUser());
    const admin = await member(scene, 'connection.write', 'request.decide');
    const answer = await connectWith(admin, { signing_secret: newSecret() });
    expect(outcomeOf(answer)).toEqual([403, 'owner_required']);
    expect(await linkOf(scene.owner)).not.toBe(null);
  });

  test.each([
    ['disconnecting', ({ owner }: ConnectedScene) => owner.browser.delete('/api/v1/slack')],
    [
      'deleting its channel',
      async ({ owner }: ConnectedScene) => {
        const { body } = await owner.http.get('/api/v1/slack');
        const id = String(body['connection']?.['channel_id']);
        return await owner.browser.delete(`/api/v1/notification_channels/${id}`);
      },
    ],
  ])('by %s ends the links, with an event for each and an email', async (_what, end) => {
    const scene = await linked();
    expect((await end(scene)).status).toBe(204);
    expect(await linkOf(scene.reviewer)).toBe(null);
    const events = await eventsOf(app, scene.organization.id, 'membership.slack_unlinked');
    expect(events).toHaveLength(1);
    await mail.mailTo(scene.reviewer.email, 2);
  });
});

describe('the link of one member', () => {
  const unlink = (by: TestMember, { membershipId }: TestMember) =>
    by.browser.delete(`/api/v1/slack/linked_members/${membershipId}`);

  test('is ended by someone who holds none of their rights, with an event and an email', async () => {
    const scene = await linked();
    await link(scene.caller, scene.owner, newUser());
    const admin = await member(scene, 'connection.write');
    expect((await unlink(admin, scene.reviewer)).status).toBe(204);
    expect(await linkOf(scene.reviewer)).toBe(null);
    expect(await linkOf(scene.owner)).not.toBe(null);
    const events = await eventsOf(app, scene.organization.id, 'membership.slack_unlinked');
    expect(events).toEqual([
      {
        event_type: 'membership.slack_unlinked',
        actor_id: admin.membershipId,
        data: JSON.stringify({ slack_user_id: scene.user }),
      },
    ]);
    const { text } = await mail.mailTo(scene.reviewer.email, 2);
    expect(text).toContain(`${admin.displayName} ended the link between your account and Slack.`);
    expect(outcomeOf(await unlink(admin, scene.reviewer))).toEqual([404, 'not_found']);
  });

  test('is ended only in a recent session, and by no one who may only look', async () => {
    const scene = await linked();
    const reader = await member(scene, 'connection.read');
    expect(outcomeOf(await unlink(reader, scene.reviewer))).toEqual([403, 'permission_denied']);
    await app
      .db('sessions')
      .where({ membership_id: scene.owner.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect(outcomeOf(await unlink(scene.owner, scene.reviewer))).toEqual([
      403,
      'reauthentication_required',
    ]);
    expect(await linkOf(scene.reviewer)).toBe(scene.user);
  });
});
