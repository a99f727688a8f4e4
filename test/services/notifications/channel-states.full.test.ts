/** The state of channels, from the results of messages. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { newMinute } from '../../support/outbox.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import {
  createScene,
  deliver,
  link,
  newChannel,
  newUser,
  routeTo,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { SENDING } from './outbox.ts';

const refusal: { at?: 'MAIL FROM' | undefined; code?: number } = {};
const mails = await startMailServer({ refusal });
const { app, slack } = await slackForFile({ ...SENDING, SMTP_URL: mails.url });

afterAll(() => mails.close());

beforeEach(async () => {
  await newMinute(app);
  slack.misbehavior.clear();
  refusal.at = undefined;
});

interface State {
  readonly id: string;
  readonly kind: string;
  readonly state: { readonly state: string; readonly cause?: string };
  readonly troubled_members: readonly object[];
}

async function channelOf({ browser }: TestMember, kind: string): Promise<State | undefined> {
  const { body } = await browser.get('/api/v1/notification_channels');
  const channels = body['notification_channels'] as unknown as readonly State[];
  return channels.find((each) => each.kind === kind);
}

const ownOf = async ({ browser }: TestMember) =>
  (await browser.get('/api/v1/me/notification_settings')).body['troubled_channels'];

test('a mailbox that refuses is the trouble of its person, until a message arrives', async () => {
  const { agent, reviewer, organization } = await createScene(app, slack);
  const { owner } = organization;
  mails.refuse(reviewer.email);
  await ask(app, agent);
  await deliver(app);
  const trouble = {
    state: 'broken',
    cause: 'mailbox_refused',
    problem: 'the mail server refused the mailbox',
    since: expect.any(String),
  };
  expect(await ownOf(reviewer)).toMatchObject([{ kind: 'email', ...trouble }]);
  expect(await channelOf(owner, 'email')).toMatchObject({
    state: { state: 'working' },
    troubled_members: [{ membership_id: reviewer.membershipId, ...trouble }],
  });
  const member = await owner.browser.get(`/api/v1/members/${reviewer.membershipId}`);
  expect(member.body['troubled_channels']).toMatchObject([trouble]);

  const since = async () =>
    app.db('channel_states').where({ receiver: reviewer.membershipId }).pluck('since');
  const first = await since();
  await ask(app, agent);
  await deliver(app);
  expect(await since()).toEqual(first);

  const address = `new-${reviewer.email}`;
  await app.db('users').where({ email: reviewer.email }).update({ email: address });
  await ask(app, agent);
  await deliver(app);
  expect(await ownOf(reviewer)).toEqual([]);
});

test('a revoked token is the trouble of the channel, on every page, until Slack accepts a message', async () => {
  const { agent, reviewer, organization } = await createScene(app, slack);
  const { owner } = organization;
  slack.misbehavior.set('conversations.open', { kind: 'error', error: 'token_revoked' });
  await ask(app, agent);
  await deliver(app);
  const trouble = { state: 'broken', cause: 'token_revoked' };
  expect((await channelOf(owner, 'slack'))?.state).toMatchObject(trouble);
  expect(await ownOf(reviewer)).toMatchObject([{ kind: 'slack', ...trouble }]);
  const system = await owner.browser.get('/api/v1/system');
  expect(system.body['troubled_channels']).toMatchObject([{ kind: 'slack', ...trouble }]);

  slack.misbehavior.clear();
  await ask(app, agent);
  await deliver(app);
  expect((await channelOf(owner, 'slack'))?.state).toEqual({ state: 'working' });
});

test('an archived default channel stays broken while direct messages arrive', async () => {
  const { agent, reviewer, organization } = await createScene(app, slack, {
    defaultChannel: newChannel(),
  });
  slack.misbehavior.set('chat.postMessage', { kind: 'error', error: 'is_archived' });
  await ask(app, agent);
  await deliver(app);
  slack.misbehavior.clear();
  expect((await channelOf(organization.owner, 'slack'))?.state.cause).toBe('is_archived');
  expect(await ownOf(reviewer)).toMatchObject([{ kind: 'slack', cause: 'is_archived' }]);
});

test('messages that are tried again leave the channel failing', async () => {
  const { agent, organization } = await createScene(app, slack);
  Object.assign(refusal, { at: 'MAIL FROM', code: 451 });
  await ask(app, agent);
  await deliver(app);
  expect((await channelOf(organization.owner, 'email'))?.state).toMatchObject({
    state: 'failing',
    cause: 'busy',
  });
});

test('a path warns of a person that none of their channels reaches', async () => {
  const { agent, reviewer, organization } = await createScene(app, slack);
  mails.refuse(reviewer.email);
  const preview = async () => {
    const nodes = [
      {
        id: '0198f3a2-8e20-7b55-a4f5-708192a3b4c5',
        type: 'level',
        targets: [{ type: 'user', id: reviewer.membershipId }],
        escalate_after: '10m',
      },
    ];
    const { body } = await organization.owner.browser.post('/api/v1/escalation-paths/preview', {
      document: { name: 'Path', nodes },
    });
    return body['warnings'];
  };
  await ask(app, agent);
  await deliver(app);
  expect(await preview()).toEqual([]);
  slack.misbehavior.set('chat.postMessage', { kind: 'error', error: 'account_inactive' });
  await ask(app, agent);
  await deliver(app);
  expect(await preview()).toMatchObject([
    { code: 'target_not_reached', membership_id: reviewer.membershipId },
  ]);
});

test('a test message that arrives ends the trouble of its receiver, and one that fails does not', async () => {
  const { agent, caller, organization } = await createScene(app, slack);
  const { owner } = organization;
  await link(caller, owner, newUser());
  await routeTo(organization, agent, [owner]);
  slack.misbehavior.set('chat.postMessage', { kind: 'error', error: 'account_inactive' });
  mails.refuse(owner.email);
  await ask(app, agent);
  await deliver(app);
  expect(await ownOf(owner)).toHaveLength(2);
  const channel = await channelOf(owner, 'slack');
  const tested = async () => {
    const { body } = await owner.browser.post(
      `/api/v1/notification_channels/${String(channel?.id)}/test`,
    );
    return body['delivered'];
  };
  expect(await tested()).toBe(false);
  expect(await ownOf(owner)).toHaveLength(2);
  slack.misbehavior.clear();
  expect(await tested()).toBe(true);
  expect(await ownOf(owner)).toMatchObject([{ kind: 'email' }]);
});
