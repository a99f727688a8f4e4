/**
 * Messages in Slack: their recipients, how often they go out, and what happens when Slack rejects
 * them.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { newMinute, sendDue } from '../../support/outbox.ts';
import { slackSender } from '../../../src/services/notifications/slack/sender.ts';
import { startApp } from '../../support/app.ts';
import { ask, decide, stepAt } from '../../support/scene/approval-requests.ts';
import { type TestMember } from '../../support/scene/factories.ts';
import {
  asked,
  createDecider,
  createScene,
  deliver,
  deliveriesOf,
  link,
  newChannel,
  newUser,
  click,
  routeTo,
  slackEnvironment,
  type Scene,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { type SlackPost } from '../../support/servers/slack-server.ts';
import { until } from '../../support/waiting.ts';

const { app, slack } = await slackForFile();

beforeEach(() => {
  slack.misbehavior.clear();
});

const slackScene = (options: { readonly defaultChannel?: string } = {}): Promise<Scene> =>
  createScene(app, slack, options);
const lastOf = (channel: string): SlackPost | undefined => slack.postsTo(channel).at(-1);
const read = async (member: TestMember, id: string) =>
  (await member.http.get(`/api/v1/requests/${id}`)).body;

/** As an administrator over the API. */
async function sendAgain({ organization: { owner } }: Scene, requestId: string): Promise<void> {
  const dead = (await app
    .db('notification_deliveries')
    .where({ request_id: requestId })
    .whereNotNull('dead_at')
    .pluck('id')) as readonly string[];
  for (const id of dead)
    expect((await owner.http.post(`/api/v1/notification_deliveries/${id}/retry`)).status).toBe(200);
  await deliver(app);
}

describe('messages', () => {
  test('go to the linked people who are asked, and once to the default channel', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const [second, unlinked] = [
      await createDecider(app, here.organization, here.agent),
      await createDecider(app, here.organization, here.agent),
    ];
    const user = newUser();
    await link(here.caller, second, user);
    await routeTo(here.organization, here.agent, [here.reviewer, second, unlinked]);
    const { id } = await asked(here);
    expect(
      [channel, `D${here.slackUser}`, `D${user}`].map((each) => slack.postsTo(each).length),
    ).toEqual([1, 1, 1]);
    const inChannel = lastOf(channel);
    if (!inChannel) throw new Error('nothing in the channel');
    expect(await click(here, inChannel, 'Deny', user)).toBe(`Denied by ${second.displayName}.`);
    await deliver(app);
    for (const each of [channel, `D${here.slackUser}`, `D${user}`])
      expect(lastOf(each)).toMatchObject({ updates: 1 });
    expect((await read(here.reviewer, id))['decision']).toMatchObject({
      reviewer_display_name: second.displayName,
    });
  });

  test('about one request are a thread, of which each also appears in the conversation', async () => {
    const here = await slackScene();
    await routeTo(here.organization, here.agent, [here.reviewer], [here.reviewer]);
    const id = await ask(app, here.agent, {
      tool: 'refund_payment',
      arguments: { amount: 1249.95, currency: 'EUR', payment_id: 'pay_14' },
    });
    await deliver(app);
    await stepAt(app, id, new Date(Date.now() + 16 * 60_000));
    await deliver(app);
    const [first, second] = slack.postsTo(`D${here.slackUser}`);
    expect(first?.text).toContain('Approval needed: Refund 1249.95 EUR of pay_14');
    expect(first?.fields).not.toHaveProperty('thread_ts');
    expect(second?.fields).toMatchObject({ thread_ts: first?.ts, reply_broadcast: 'true' });
  });

  test('to a member without a linked Slack user are dropped with the reason', async () => {
    const here = await slackScene();
    await here.reviewer.browser.delete('/api/v1/me/slack');
    const id = await ask(app, here.agent);
    await deliver(app);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { event: 'notified', dropped_reason: 'not_linked' },
    ]);
  });

  test('are sent once by two processes that lease at the same moment', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const others = await Promise.all(
      Array.from({ length: 5 }, () => createDecider(app, here.organization, here.agent)),
    );
    await routeTo(here.organization, here.agent, [here.reviewer, ...others]);
    const second = await startApp({
      databaseUrl: app.databaseUrl,
      environment: slackEnvironment(slack),
    });
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        await newMinute(app);
        await ask(app, here.agent);
        await Promise.all([app, second, app, second].map(({ context }) => sendDue(context)));
        expect([slack.postsTo(channel).length, slack.postsTo(`D${here.slackUser}`).length]).toEqual(
          [round, round],
        );
      }
    } finally {
      await second.close();
    }
  });

  test('survive an outage of Slack, even between two of them, without duplicates', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    await slack.stop();
    const id = await ask(app, here.agent);
    await deliver(app);
    const waiting = {
      event: 'notified',
      last_error: expect.stringMatching(/^no_answer \((refused|reset)\)$/),
      delivered_at: null,
      dead_at: null,
    };
    expect(await deliveriesOf(app, id)).toMatchObject([waiting, waiting]);
    await slack.start();
    slack.misbehavior.set('conversations.open', { kind: 'status', status: 502 });
    await deliver(app);
    expect((await deliveriesOf(app, id))[0]).toMatchObject({ last_error: 'http_502' });
    slack.misbehavior.clear();
    await deliver(app);
    expect([slack.postsTo(channel).length, slack.postsTo(`D${here.slackUser}`).length]).toEqual([
      1, 1,
    ]);
    const [post] = slack.postsTo(`D${here.slackUser}`);
    if (!post) throw new Error('no message');
    await slack.stop();
    expect((await decide(here.reviewer.browser, id)).status).toBe(200);
    await deliver(app);
    await slack.start();
    await deliver(app);
    expect([lastOf(channel)?.updates, lastOf(`D${here.slackUser}`)?.updates]).toEqual([1, 1]);
    expect(
      (await deliveriesOf(app, id)).every((delivery) => delivery['delivered_at'] !== null),
    ).toBe(true);
  });

  test('to a person are not repeated when the one to the channel failed', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const direct = `D${here.slackUser}`;
    const id = await ask(app, here.agent);
    slack.archived.add(channel);
    await deliver(app);
    slack.archived.clear();
    expect([slack.postsTo(direct).length, slack.postsTo(channel).length]).toEqual([1, 0]);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { announces: false, delivered_at: expect.any(Date) },
      { announces: true, last_error: 'is_archived', attempts: 1, dead_at: expect.any(Date) },
    ]);
    await sendAgain(here, id);
    expect([slack.postsTo(direct).length, slack.postsTo(channel).length]).toEqual([1, 1]);
    expect(await deliveriesOf(app, id)).toMatchObject([
      {},
      { announces: true, dead_at: null, delivered_at: expect.any(Date) },
    ]);
  });

  test('to the channel are sent even if the person can no longer be reached', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    slack.misbehavior.set('conversations.open', { kind: 'error', error: 'user_not_found' });
    const id = await ask(app, here.agent);
    await deliver(app);
    expect([slack.postsTo(`D${here.slackUser}`).length, slack.postsTo(channel).length]).toEqual([
      0, 1,
    ]);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { announces: false, last_error: 'user_not_found', attempts: 1, dead_at: expect.any(Date) },
      { announces: true, attempts: 1, delivered_at: expect.any(Date) },
    ]);
    slack.misbehavior.clear();
    await sendAgain(here, id);
    expect([slack.postsTo(`D${here.slackUser}`).length, slack.postsTo(channel).length]).toEqual([
      1, 1,
    ]);
  });

  test('go to a new conversation when the old one no longer exists', async () => {
    const here = await slackScene();
    const { membershipId } = here.reviewer;
    await app
      .db('slack_links')
      .where({ membership_id: membershipId })
      .update({ direct_channel: 'DGONE' });
    slack.gone.add('DGONE');
    const { post } = await asked(here);
    expect(post.channel).toBe(`D${here.slackUser}`);
    expect(
      await app.db('slack_links').where({ membership_id: membershipId }).pluck('direct_channel'),
    ).toEqual([`D${here.slackUser}`]);
  });

  test('wait as long as Slack requires when it limits them', async () => {
    const here = await slackScene();
    slack.misbehavior.set('chat.postMessage', { kind: 'limited', retryAfter: 900 });
    const id = await ask(app, here.agent);
    await deliver(app);
    const [delivery] = await deliveriesOf(app, id);
    expect(delivery).toMatchObject({ last_error: 'ratelimited', attempts: 1 });
    expect((delivery?.['next_attempt_at'] as Date).getTime()).toBeGreaterThan(Date.now() + 880_000);
  });

  test('that Slack refuses for good are dead at once, and delivered after a retry by hand', async () => {
    const here = await slackScene();
    let id = '';
    for (const error of [
      'account_inactive',
      'channel_not_found',
      'invalid_auth',
      'missing_scope',
      'msg_too_long',
      'not_in_channel',
      'token_revoked',
    ]) {
      slack.misbehavior.set('chat.postMessage', { kind: 'error', error });
      id = await ask(app, here.agent);
      await deliver(app);
      expect(await deliveriesOf(app, id)).toMatchObject([
        { last_error: error, attempts: 1, dead_at: expect.any(Date) },
      ]);
    }
    slack.misbehavior.clear();
    await sendAgain(here, id);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { delivered_at: expect.any(Date), dead_at: null },
    ]);
    expect(slack.postsTo(`D${here.slackUser}`)).toHaveLength(1);
  });

  test('that Slack rejects temporarily are tried again', async () => {
    const here = await slackScene();
    for (const error of [
      'internal_error',
      'service_unavailable',
      'ratelimited',
      'org_login_required',
    ]) {
      slack.misbehavior.set('chat.postMessage', { kind: 'error', error });
      const id = await ask(app, here.agent);
      await deliver(app);
      expect(await deliveriesOf(app, id)).toMatchObject([
        { last_error: error, attempts: 1, dead_at: null },
      ]);
      slack.misbehavior.clear();
      await deliver(app);
      expect(await deliveriesOf(app, id)).toMatchObject([
        { attempts: 2, delivered_at: expect.any(Date) },
      ]);
    }
  });

  test('that were deleted in Slack do not block the answer in the others', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const { id, post } = await asked(here);
    slack.posts.splice(slack.posts.indexOf(post), 1);
    await decide(here.reviewer.browser, id);
    await deliver(app);
    expect(lastOf(channel)).toMatchObject({ updates: 1 });
    expect((await deliveriesOf(app, id)).at(-1)).toMatchObject({
      event: 'decided',
      delivered_at: expect.any(Date),
    });
  });

  test('are not sent when the request was decided first', async () => {
    const channel = newChannel();
    const here = await slackScene({ defaultChannel: channel });
    const id = await ask(app, here.agent);
    await decide(here.reviewer.browser, id);
    await stepAt(app, id);
    await deliver(app);
    expect([slack.postsTo(`D${here.slackUser}`), slack.postsTo(channel)]).toEqual([[], []]);
  });

  test('that are interrupted after Slack accepted them are not sent again', async () => {
    const here = await slackScene();
    const id = await ask(app, here.agent);
    const calls = slack.calls.length;
    const release = slack.holdNext('chat.postMessage');
    const stopping = new AbortController();
    const sending = sendDue({ ...app.context, stopping: stopping.signal });
    await until('Slack has the message', () =>
      slack.calls.slice(calls).includes('chat.postMessage'),
    );
    stopping.abort();
    await sending;
    expect(await deliveriesOf(app, id)).toMatchObject([
      { last_error: 'interrupted', delivered_at: null, dead_at: null },
    ]);
    await deliver(app);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { last_error: 'under_way', delivered_at: null, dead_at: null },
    ]);
    release();
    await until('its arrival is written down', async () => {
      const [message] = await app
        .db('slack_messages')
        .where({ request_id: id })
        .pluck<(string | null)[]>('slack_ts');
      return typeof message === 'string';
    });
    await deliver(app);
    expect(await deliveriesOf(app, id)).toMatchObject([{ delivered_at: expect.any(Date) }]);
    expect(slack.postsTo(`D${here.slackUser}`)).toHaveLength(1);
  });

  test("that only test the connection end with the caller's timeout, and nothing more is sent", async () => {
    const here = await slackScene();
    const { membershipId, displayName, email } = here.reviewer;
    const { body } = await here.organization.owner.http.get('/api/v1/slack');
    const channelId = String(body['connection']?.['channel_id']);
    const calls = slack.calls.length;
    const release = slack.holdNext('conversations.open');
    const patience = new AbortController();
    const message = {
      channelId,
      organizationId: here.organization.id,
      recipient: { membershipId, displayName, email },
    };
    const outcome = expect(
      slackSender.sendTest(app.context, message, patience.signal),
    ).rejects.toThrow('out of patience');
    await until('Slack is asked', () => slack.calls.slice(calls).includes('conversations.open'));
    patience.abort(new Error('out of patience'));
    await outcome;
    release();
    await until('the conversation is open', async () => {
      const links = await app
        .db('slack_links')
        .where({ membership_id: membershipId })
        .pluck<(string | null)[]>('direct_channel');
      return links[0] === `D${here.slackUser}`;
    });
    await asked(here);
    expect(slack.postsTo(`D${here.slackUser}`)).toHaveLength(1);
  });

  test('leave no secret in logs, deliveries or answers', async () => {
    const here = await slackScene();
    await asked(here);
    const kept = JSON.stringify([
      await app.db('notification_deliveries'),
      await app.db('slack_messages'),
      await app.db('audit_events'),
    ]);
    for (const secret of [here.workspace.botToken, here.workspace.signingSecret]) {
      expect(app.log.join('')).not.toContain(secret);
      expect(kept).not.toContain(secret);
    }
  });
});
