/** What owners and receivers get when no one is left to decide a request. */
import { afterAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createScene, deliver, newChannel, slackForFile } from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { buttonsOf } from '../../support/servers/slack-server.ts';
import { startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { messagesOf, SENDING } from './outbox.ts';

const mails = await startMailServer();
const receiver = await startWebhookReceiver();
const { app, slack } = await slackForFile({
  ...SENDING,
  SMTP_URL: mails.url,
  COUNTERSIGN_EMAIL_FROM: 'ask@approvals.example',
});

afterAll(async () => {
  await mails.close();
  await receiver.close();
});

test('owners, the default channel and webhooks hear of it once, without the arguments', async () => {
  const channel = newChannel();
  const here = await createScene(app, slack, { defaultChannel: channel });
  const { owner } = here.organization;
  const created = await owner.browser.post('/api/v1/notification_channels', {
    kind: 'webhook',
    name: 'Bot',
    url: receiver.url,
  });
  expect(created.status).toBe(201);
  await app
    .db('memberships')
    .where({ id: here.reviewer.membershipId })
    .update({ status: 'suspended' });
  const secret = randomUUID();
  const id = await ask(app, here.agent, { tool: 'refund', arguments: { secret } });
  await deliver(app);
  await deliver(app);

  const mail = await mails.mailTo(owner.email);
  expect(mails.mails.filter(({ subject }) => subject.includes('left to decide'))).toHaveLength(1);
  expect(mail.subject).toBe(`No one left to decide: refund (Agent ${here.agent.slug})`);
  expect(mail.text).toContain(`/requests/${id}`);
  const [post, ...more] = slack.postsTo(channel);
  expect(more).toEqual([]);
  expect(post?.text).toBe(`No one left to decide: refund (Agent ${here.agent.slug})`);
  expect(post && Object.keys(buttonsOf(post))).toEqual(['Open']);
  const received = messagesOf(receiver);
  expect(received.map(({ type }) => type)).toEqual(['approval_request.unreachable']);
  expect(received[0]).toMatchObject({
    member: { membership_id: owner.membershipId, display_name: owner.displayName },
    request: { id, status: 'pending' },
  });
  for (const text of [mail.text, JSON.stringify(post), JSON.stringify(received)])
    expect(text).not.toContain(secret);

  const listed = await owner.browser.get('/api/v1/notification_deliveries');
  const events = (listed.body['notification_deliveries'] ?? []).map((each) => each['event']);
  expect(new Set(events)).toEqual(new Set(['unreachable']));
  expect((await decide(owner.browser, id)).status).toBe(200);
  await deliver(app);
  expect(slack.postsTo(channel)).toMatchObject([{ updates: 1 }]);
});
