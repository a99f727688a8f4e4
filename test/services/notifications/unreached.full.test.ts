/** A level whose messages have all failed for good does not wait its time. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { newMinute } from '../../support/outbox.ts';
import { ask, decide, stepAt } from '../../support/scene/approval-requests.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import {
  createDecider,
  createScene,
  newChannel,
  routeTo,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { startPushService } from '../../support/servers/push-service.ts';
import { timelineOf } from '../../support/temporal.ts';
import { drain, SENDING } from './outbox.ts';

const mails = await startMailServer();
const push = await startPushService();
const { app, slack } = await slackForFile({
  ...SENDING,
  SMTP_URL: mails.url,
  COUNTERSIGN_PUSH_HOSTS: '127.0.0.1',
});

afterAll(async () => {
  await Promise.all([mails.close(), push.close()]);
});

beforeEach(async () => {
  await newMinute(app);
  slack.misbehavior.clear();
});

const want = async ({ browser }: TestMember, kinds: object): Promise<void> => {
  const { status } = await browser.call('PUT', '/api/v1/me/notification_settings', {
    body: { email: true, slack: true, push: true, ...kinds },
  });
  expect(status).toBe(200);
};

/** The first level asks the reviewer, the second a colleague that mail reaches. */
async function createLevels(options: { readonly defaultChannel?: string } = {}) {
  const here = await createScene(app, slack, options);
  const colleague = await createDecider(app, here.organization, here.agent);
  await routeTo(here.organization, here.agent, [here.reviewer], [colleague]);
  return { ...here, colleague };
}

/** Sends what is due, and steps the request if that made it due. Returns the timeline's levels. */
async function afterSending(id: string): Promise<string[]> {
  await drain(app);
  const now = app.db.raw('clock_timestamp()');
  const due = await app
    .db('approval_requests')
    .where({ id })
    .where('next_at', '<=', now)
    .pluck('id');
  if (due.length > 0) await stepAt(app, id);
  return (await timelineOf(app, id))
    .filter(({ type }) => /level_|unreachable/.test(type))
    .map(({ type }) => type.replace('approval_request.', ''));
}

const LEFT = ['level_notified', 'level_unreached', 'level_notified'];
const read = async ({ browser }: TestMember, id: string, view: string) =>
  (await browser.get(`/api/v1/requests/${id}/${view}`)).body;

test('a mailbox that refuses: the next level is asked at once, and no view says that they were notified', async () => {
  const { agent, reviewer, organization } = await createLevels();
  await want(reviewer, { slack: false });
  mails.refuse(reviewer.email);
  const id = await ask(app, agent);
  expect(await afterSending(id)).toEqual(LEFT);

  const reasons = [
    { channel: 'email', cause: 'mailbox_refused' },
    { channel: 'slack', cause: 'opted_out' },
  ];
  const { owner } = organization;
  const { levels } = await read(owner, id, 'routing');
  expect(levels).toMatchObject([
    { status: 'unreached', targets: [{ members: [{ unreached: reasons, can_decide: true }] }] },
    { status: 'current', targets: [{ members: [{ notified_at: expect.any(String) }] }] },
  ]);
  expect(JSON.stringify((levels as unknown as object[])[0])).not.toContain('notified_at');

  const { events } = await read(owner, id, 'timeline');
  const of = (verb: string) =>
    (events as unknown as { event_type: string; unreached?: object; data: object }[]).filter(
      ({ event_type: type }) => type === `approval_request.${verb}`,
    );
  const theirs = reasons.map((each) => ({ membership_id: reviewer.membershipId, ...each }));
  const shown = of('level_notified').map(({ unreached }) => unreached);
  expect(shown).toMatchObject([theirs, undefined]);
  expect(JSON.stringify(shown)).toContain('email: the mail server refused the mailbox');
  expect(of('level_unreached')[0]?.data).toMatchObject({ run: 1, reasons: theirs });
  expect((await decide(reviewer.browser, id)).status).toBe(200);
});

test.each(['account_inactive', 'token_revoked', 'invalid_auth', 'missing_scope'])(
  'someone that only Slack reaches, and who gets %s from it, is not waited for',
  async (error) => {
    const { agent, reviewer } = await createLevels();
    await want(reviewer, { email: false });
    slack.misbehavior.set('conversations.open', { kind: 'error', error });
    const id = await ask(app, agent);
    expect(await afterSending(id)).toEqual(LEFT);
    const left = (await timelineOf(app, id)).find(({ type }) => type.endsWith('level_unreached'));
    expect(left?.data['reasons']).toContainEqual(
      expect.objectContaining({ channel: 'slack', cause: error }),
    );
  },
);

test.each([400, 401, 403, 413])(
  'someone that only push messages reach, with status %i, is not waited for',
  async (status) => {
    const { agent, reviewer } = await createLevels();
    await want(reviewer, { email: false, slack: false });
    const browser = push.browser();
    await reviewer.browser.post('/api/v1/me/push_subscriptions', browser.subscription);
    push.respondWith((response) => response.writeHead(status).end(), browser);
    const id = await ask(app, agent);
    expect(await afterSending(id)).toEqual(LEFT);
    const left = (await timelineOf(app, id)).find(({ type }) => type.endsWith('level_unreached'));
    expect(left?.data['reasons']).toContainEqual(
      expect.objectContaining({ channel: 'push', cause: `status_${status}` }),
    );
  },
);

test.each(['turned off', 'deleted'])(
  'someone whose only channel is %s while their message waits is not waited for',
  async (change) => {
    const { agent, reviewer, organization } = await createLevels();
    await want(reviewer, { email: false });
    slack.misbehavior.set('conversations.open', { kind: 'status', status: 503 });
    const id = await ask(app, agent);
    expect(await afterSending(id)).toEqual(['level_notified']);
    const [channel] = await app
      .db('notification_channels')
      .where({ organization_id: organization.id, kind: 'slack', deleted_at: null })
      .pluck<string[]>('id');
    const path = `/api/v1/notification_channels/${channel ?? ''}`;
    const { browser } = organization.owner;
    const changed =
      change === 'turned off'
        ? await browser.call('PATCH', path, { body: { enabled: false } })
        : await browser.call('DELETE', path);
    expect(changed.status).toBeLessThan(300);
    expect(await afterSending(id)).toEqual(LEFT);
  },
);

test('a level waits while a message may still arrive, or one to the default channel has', async () => {
  const { agent, reviewer } = await createLevels();
  await want(reviewer, { email: false });
  slack.misbehavior.set('conversations.open', { kind: 'status', status: 503 });
  const waiting = await ask(app, agent);
  expect(await afterSending(waiting)).toEqual(['level_notified']);

  slack.misbehavior.clear();
  const announced = await createLevels({ defaultChannel: newChannel() });
  await want(announced.reviewer, { email: false });
  slack.misbehavior.set('conversations.open', { kind: 'error', error: 'account_inactive' });
  const id = await ask(app, announced.agent);
  expect(await afterSending(id)).toEqual(['level_notified']);
});

test('the last level: the owners are told by their own channels, once', async () => {
  const { agent, reviewer, organization } = await createLevels();
  await routeTo(organization, agent, [reviewer]);
  await want(reviewer, { slack: false });
  mails.refuse(reviewer.email);
  const id = await ask(app, agent);
  expect(await afterSending(id)).toEqual(['level_notified', 'level_unreached', 'unreachable']);
  await drain(app);
  const mail = await mails.mailTo(organization.owner.email);
  expect(mail.subject).toContain('No one left to decide');
  expect(mail.text).toContain('no message reached them');
  expect(await afterSending(id)).toHaveLength(3);
});

test('a message that fails after the end of the path leaves the request unreachable', async () => {
  const { agent, reviewer, organization } = await createLevels();
  await routeTo(organization, agent, [reviewer]);
  await want(reviewer, { slack: false });
  mails.refuse(reviewer.email);
  const id = await ask(app, agent);
  await stepAt(app, id, new Date(Date.now() + 16 * 60_000));
  expect(await afterSending(id)).toEqual(['level_notified', 'unreachable']);
});

test('a person who loses their rights leaves only people that no message reached', async () => {
  const { agent, reviewer, colleague, organization } = await createLevels();
  const last = await createDecider(app, organization, agent);
  await routeTo(organization, agent, [reviewer, colleague], [last]);
  await want(reviewer, { slack: false });
  mails.refuse(reviewer.email);
  const id = await ask(app, agent);
  expect(await afterSending(id)).toEqual(['level_notified', 'level_notified']);
  const suspended = await organization.owner.browser.call(
    'PATCH',
    `/api/v1/members/${colleague.membershipId}`,
    { body: { status: 'suspended', force: true } },
  );
  expect(suspended.status).toBe(200);
  expect((await afterSending(id)).slice(2)).toEqual(['level_unreached', 'level_notified']);
});
