/** What people get when a claim ends by itself. */
import { afterAll, expect, test } from '@jest/globals';
import { stepRequest } from '../../../src/services/engine/step.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createDecider,
  createScene,
  deliver,
  newChannel,
  routeTo,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { claim, drain, messagesOf, SENDING } from './outbox.ts';

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

async function asked() {
  const channel = newChannel();
  const here = await createScene(app, slack, { defaultChannel: channel });
  const { organization, agent, reviewer } = here;
  const colleague = await createDecider(app, organization, agent);
  await routeTo(organization, agent, [reviewer, colleague]);
  const id = await ask(app, agent, { tool: 'refund', arguments: {} });
  return { ...here, channel, colleague, id };
}

/** The claim of the reviewer begins and ends, and the request takes its step. */
async function lapse({ organization, reviewer, id }: Awaited<ReturnType<typeof asked>>) {
  await claim(app, id, { member: reviewer, organizationId: organization.id });
  const { rows } = await app.db.raw<{ rows: { expires_at: Date }[] }>(
    `update claims set expires_at = clock_timestamp() where request_id = :id and ended_at is null returning expires_at`,
    { id },
  );
  const floor = rows[0]?.expires_at ?? new Date(0);
  await stepRequest(app.context, id, { floor, by: 'reconciler' });
}

test('mail, Slack and webhooks say whose claim ended, once, and where to decide', async () => {
  const here = await asked();
  const { owner } = here.organization;
  await owner.browser.post('/api/v1/notification_channels', {
    ...{ kind: 'webhook', name: 'Bot', url: receiver.url },
  });
  await deliver(app);
  const posts = slack.postsTo(here.channel).length;
  await lapse(here);
  await deliver(app);
  await deliver(app);

  const title = `Claim ended: Refund (Agent ${here.agent.slug})`;
  const sent = mails.mails.filter(({ subject }) => subject.startsWith(title));
  const holder = here.reviewer.displayName;
  const textTo = (email: string) => sent.find(({ to }) => to.includes(email))?.text;
  expect(sent).toHaveLength(2);
  expect(textTo(here.colleague.email)).toContain(
    `${holder}’s claim ended, and the request is still open.`,
  );
  expect(textTo(here.reviewer.email)).toContain('Your claim ended, and the request is still open.');
  const [, ...further] = slack.postsTo(here.channel).slice(posts - 1);
  expect(further).toHaveLength(1);
  expect(further[0]?.text).toMatch(/claim ended, and the request is still open/);
  const received = messagesOf(receiver, 'approval_request.claim_lapsed');
  expect(new Set(received.map(({ member }) => member?.['membership_id']))).toEqual(
    new Set([here.reviewer.membershipId, here.colleague.membershipId]),
  );
  expect(received[0]).toMatchObject({
    request: { id: here.id, status: 'pending' },
    claim: { member: { membership_id: here.reviewer.membershipId, display_name: holder } },
  });
  const listed = await owner.browser.get(`/api/v1/notification_deliveries?request_id=${here.id}`);
  const events = (listed.body['notification_deliveries'] ?? []).map((each) => each['event']);
  expect(new Set(events)).toEqual(new Set(['notified', 'claim_lapsed']));
});

test('a message that still waits goes out as it is, and no second one about the claim', async () => {
  const here = await asked();
  const before = mails.mails.length;
  await lapse(here);
  await deliver(app);
  const subjects = mails.mails.slice(before).map(({ subject }) => subject);
  expect(subjects).toHaveLength(2);
  for (const subject of subjects) expect(subject).not.toContain('Claim ended');
});

test('a personal step that is still to come does not hold up the message about the claim', async () => {
  const here = await asked();
  const steps = {
    standard: [
      { channel: 'email', after: '0' },
      { channel: 'email', after: '10m' },
    ],
  };
  const settings = { ...{ email: true, slack: true, push: true }, steps };
  const path = '/api/v1/me/notification_settings';
  expect((await here.colleague.browser.call('PUT', path, { body: settings })).status).toBe(200);
  const id = await ask(app, here.agent, { tool: 'refund', arguments: {} });
  const toColleague = () => mails.mails.filter(({ to }) => to.includes(here.colleague.email));
  await drain(app);
  const before = toColleague().length;
  expect(before).toBeGreaterThan(0);
  await lapse({ ...here, id });
  await drain(app);
  expect(
    toColleague()
      .slice(before)
      .map(({ subject }) => subject),
  ).toEqual([expect.stringContaining('Claim ended')]);
});
