/** What the person who approved a call gets when another one ran. */
import { afterAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { HttpClient } from '../../support/http.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createScene, deliver, newChannel, slackForFile } from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
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

test('they get a message by mail and webhook, once, without the arguments, although the request is closed', async () => {
  const channel = newChannel();
  const here = await createScene(app, slack, { defaultChannel: channel });
  const { owner } = here.organization;
  await owner.browser.post('/api/v1/notification_channels', {
    kind: 'webhook',
    name: 'Bot',
    url: receiver.url,
  });
  const secret = randomUUID();
  const id = await ask(app, here.agent, { tool: 'refund', arguments: { secret } });
  expect((await decide(here.reviewer.browser, id)).status).toBe(200);
  await deliver(app);
  const posts = slack.postsTo(channel).length;
  const before = messagesOf(receiver).length;
  const adapter = new HttpClient(app.url, { authorization: `Bearer ${here.agent.credential}` });
  const path = `/api/aap/v1/requests/${id}`;
  expect((await adapter.post(`${path}/start`)).status).toBe(200);
  for (let times = 0; times < 2; times += 1)
    expect((await adapter.post(`${path}/result`, { outcome: 'ran_differently' })).status).toBe(204);
  await deliver(app);
  await deliver(app);

  const subject = `Another call ran than the one you approved: refund (Agent ${here.agent.slug})`;
  const sent = mails.mails.filter((mail) => mail.subject === subject);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.text).toContain(`/requests/${id}`);
  const received = messagesOf(receiver).slice(before);
  expect(received.map(({ type }) => type)).toEqual(['approval_request.ran_differently']);
  expect(received[0]).toMatchObject({
    member: { membership_id: here.reviewer.membershipId },
    request: { id, status: 'approved' },
    decision: { membership_id: here.reviewer.membershipId },
  });
  expect(slack.postsTo(channel)).toHaveLength(posts);
  for (const text of [sent[0]?.text, JSON.stringify(received)]) expect(text).not.toContain(secret);

  const listed = await owner.browser.get('/api/v1/notification_deliveries');
  const told = (listed.body['notification_deliveries'] ?? []).filter(
    (each) => each['event'] === 'ran_differently',
  );
  const recipients = told.map((each) => each['member']?.['membership_id']);
  expect(new Set(recipients)).toEqual(new Set([here.reviewer.membershipId]));
});
