/** Many messages to one person within a minute: after the first few, one digest at its end. */
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { createAgent, createMember, createOrganization } from '../../support/scene/factories.ts';
import type { TestAgent, TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { createScene, newChannel, slackEnvironment } from '../../support/scene/slack-scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { buttonsOf, SlackServer } from '../../support/servers/slack-server.ts';
import { claim, drain } from './outbox.ts';

const publicUrl = 'https://approvals.example';
const slack = new SlackServer();
let organization: TestOrganization;
let agent: TestAgent;
let reviewer: TestMember;

await slack.start();
const mails = await startMailServer();
const environment = {
  ...slackEnvironment(slack),
  SMTP_URL: mails.url,
  COUNTERSIGN_PUBLIC_URL: publicUrl,
  COUNTERSIGN_EMAIL_FROM: 'ask@approvals.example',
};
const app = await appForFile({ environment });

afterAll(async () => {
  await mails.close();
  await slack.stop();
});

beforeEach(async () => {
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  const policies = [
    { scope_kind: 'agent' as const, resource_ids: [agent.slug], permissions: ['request.decide'] },
  ];
  reviewer = await createMember(app, organization.id, { policies });
});

const subjects = ({ email }: TestMember) =>
  mails.mails.filter(({ to }) => to.includes(email)).map(({ subject }) => subject);
const digests = (member: TestMember) =>
  subjects(member).filter((each) => / more request/.test(each));
async function askTimes(times: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < times)
    ids.push(await ask(app, agent, { tool: 'refund', arguments: { n: 1 } }));
  return ids;
}
/** The minute ends for everyone. */
async function endMinute(): Promise<void> {
  const past = (column: string) => app.db.raw(`?? - interval '61 seconds'`, [column]);
  await app.db('notification_windows').update({ began_at: past('began_at') });
  await app
    .db('notification_deliveries')
    .where({ event: 'digest' })
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: past('next_attempt_at') });
}
/** Requests of messages to the reviewer that wait for the digest. */
const waitingFor = ({ membershipId }: TestMember): Promise<string[]> =>
  app
    .db('notification_deliveries as d')
    .join('notifications as n', 'n.id', 'd.notification_id')
    .where({ 'd.dropped_reason': 'in_digest', 'n.membership_id': membershipId })
    .orderBy('d.created_at')
    .pluck<string[]>('d.request_id');
const drainTogether = (...apps: readonly TestApp[]) => Promise.all(apps.map((each) => drain(each)));

describe('thirty calls within a minute', () => {
  test('are five messages to each person and one digest, however many senders there are, over a restart', async () => {
    await askTimes(30);
    await drainTogether(app, app, app);
    for (const member of [reviewer, organization.owner]) expect(subjects(member)).toHaveLength(5);
    await drain(app);
    expect(subjects(reviewer)).toHaveLength(5);
    await endMinute();
    const other = await startApp({ environment, databaseUrl: app.databaseUrl });
    try {
      await drainTogether(app, other, app, other);
    } finally {
      await other.close();
    }
    for (const member of [reviewer, organization.owner])
      expect(digests(member)).toEqual(['25 more requests wait for you']);
    const mail = mails.mails.find(
      ({ to, subject }) => to.includes(reviewer.email) && subject.startsWith('25 more'),
    );
    expect(mail?.text).toContain(`${publicUrl}/`);
    expect(subjects(reviewer)).toHaveLength(6);
    // Another minute begins.
    await askTimes(1);
    await drain(app);
    expect(subjects(reviewer)).toHaveLength(7);
    expect(digests(reviewer)).toHaveLength(1);
  });

  test('are not counted when they are decided before the digest', async () => {
    await askTimes(9);
    await drain(app);
    const [first = '', ...rest] = await waitingFor(reviewer);
    expect(rest).toHaveLength(3);
    expect((await decide(organization.owner.browser, first, undefined)).status).toBe(200);
    await endMinute();
    await drain(app);
    expect(digests(reviewer)).toEqual(['3 more requests wait for you']);
  });

  test('make no digest when all of them are decided', async () => {
    await askTimes(6);
    await drain(app);
    for (const id of await waitingFor(reviewer))
      await decide(organization.owner.browser, id, undefined);
    await endMinute();
    await drain(app);
    expect(digests(reviewer)).toEqual([]);
    expect(subjects(reviewer)).toHaveLength(5);
  });

  test('pause while they are claimed, and are sent when the claim ends', async () => {
    await askTimes(8);
    await drain(app);
    const [claimed = ''] = await waitingFor(reviewer);
    const id = await claim(app, claimed, {
      member: organization.owner,
      organizationId: organization.id,
    });
    await endMinute();
    await drain(app);
    expect(digests(reviewer)).toEqual(['2 more requests wait for you']);
    expect(subjects(reviewer)).toHaveLength(6);
    await app.db('claims').where({ id }).update({ ended_at: new Date() });
    await drain(app);
    expect(subjects(reviewer)).toHaveLength(7);
    await drain(app);
    expect(subjects(reviewer)).toHaveLength(7);
  });
});

test('requests that expire before their digest, or soon after it, are sent at once', async () => {
  await askTimes(5);
  const soon = await ask(app, agent, { tool: 'refund', arguments: { n: 1 }, timeout: '100s' });
  const later = await ask(app, agent, { tool: 'refund', arguments: { n: 1 }, timeout: '3m' });
  await drain(app);
  expect(subjects(reviewer)).toHaveLength(6);
  expect(await waitingFor(reviewer)).toEqual([later]);
  expect(mails.mails.filter(({ text }) => text.includes(soon))).toHaveLength(2);
});

test('urgent requests are always sent at once', async () => {
  const ids = await askTimes(9);
  await app.db('approval_requests').whereIn('id', ids).update({ urgency: 'interrupt' });
  await drain(app);
  expect(subjects(reviewer)).toHaveLength(9);
  expect(digests(reviewer)).toEqual([]);
});

test('Slack gets a digest for a person and one for the default channel, which only open the queue', async () => {
  const channel = newChannel();
  const here = await createScene(app, slack, { defaultChannel: channel });
  for (let each = 0; each < 8; each += 1) await ask(app, here.agent, { tool: 'refund' });
  await drainTogether(app, app);
  const direct = `D${here.slackUser}`;
  expect([slack.postsTo(direct).length, slack.postsTo(channel).length]).toEqual([5, 5]);
  await endMinute();
  await drainTogether(app, app);
  for (const [where, text] of [
    [direct, '3 more requests wait for you'],
    [channel, '3 more requests wait for a decision'],
  ] as const) {
    const [post, ...more] = slack.postsTo(where).slice(5);
    expect(more).toEqual([]);
    expect(post?.text).toBe(text);
    expect(post && Object.keys(buttonsOf(post))).toEqual(['Open']);
  }
  const listed = await here.organization.owner.browser.get(
    '/api/v1/notification_deliveries?status=delivered',
  );
  const events = (listed.body['notification_deliveries'] ?? []).map((each) => each['event']);
  expect(events.filter((event) => event === 'digest')).toHaveLength(3);
});
