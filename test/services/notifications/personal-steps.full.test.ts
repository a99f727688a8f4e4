/** One channel after the other, as each person wants it. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import {
  createScene,
  newChannel,
  slackForFile,
  type Scene,
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
const SETTINGS = '/api/v1/me/notification_settings';
const CHANNELS = { email: true, slack: true, push: true };

let here: Scene;

beforeEach(async () => {
  here = await createScene(app, slack, { defaultChannel: newChannel() });
});

afterAll(async () => {
  await mails.close();
  await receiver.close();
});

const put = async (body: object) => await here.reviewer.browser.call('PUT', SETTINGS, { body });

const slackThenMail = { steps: { standard: [step('slack', '0'), step('email', '5m')] } };

function step(channel: string, after: string) {
  return { channel, after };
}

interface Message {
  readonly kind: string;
  readonly step: number;
  /** Seconds after it was written. Undefined when it is over. */
  readonly due: number | undefined;
  readonly over: string | undefined;
}

/** To the reviewer, in the order of their steps. */
async function messages(requestId: string): Promise<readonly Message[]> {
  const rows = await app
    .db('notification_deliveries as d')
    .join('notification_channels as c', 'c.id', 'd.channel_id')
    .where({ request_id: requestId, event: 'notified', announces: false })
    .orderBy(['d.step', 'c.kind'])
    .select<Record<string, unknown>[]>('c.kind', 'd.*');
  return rows.map((row) => ({
    kind: String(row['kind']),
    step: Number(row['step']),
    due: row['next_attempt_at']
      ? secondsBetween(row['created_at'], row['next_attempt_at'])
      : undefined,
    over: row['delivered_at']
      ? 'delivered'
      : row['dead_at']
        ? 'dead'
        : ((row['dropped_reason'] as string | null) ?? undefined),
  }));
}

const secondsBetween = (from: unknown, to: unknown): number =>
  Math.round(((to as Date).getTime() - (from as Date).getTime()) / 1_000);

/** The time of the steps comes. */
async function later(requestId: string): Promise<void> {
  await app
    .db('notification_deliveries')
    .where({ request_id: requestId })
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: app.db.raw(`clock_timestamp() - interval '1 second'`) });
}

test('messages are due at their steps, over channels that are listed; webhooks are not delayed', async () => {
  await here.organization.owner.browser.post('/api/v1/notification_channels', {
    ...{ kind: 'webhook', name: 'Bot', url: receiver.url },
  });
  expect((await put({ ...CHANNELS, ...slackThenMail })).status).toBe(200);
  const id = await ask(app, here.agent);
  expect(await messages(id)).toMatchObject([
    { kind: 'webhook', step: 0, due: 0 },
    { kind: 'slack', step: 1, due: 0 },
    { kind: 'email', step: 2, due: 300 },
  ]);
  const sent = mails.mails.length;
  await drain(app);
  expect(mails.mails).toHaveLength(sent);
  expect(messagesOf(receiver, 'approval_request.notified')).toHaveLength(1);
  await later(id);
  await drain(app);
  expect(mails.mails).toHaveLength(sent + 1);
  expect(await messages(id)).toMatchObject(new Array(3).fill({ over: 'delivered' }));
});

test('a channel may be told twice', async () => {
  await put({ ...CHANNELS, steps: { standard: [step('slack', '0'), step('slack', '90s')] } });
  const id = await ask(app, here.agent);
  await drain(app);
  expect(await messages(id)).toMatchObject([{ over: 'delivered' }, { kind: 'slack', due: 90 }]);
});

test('later steps are not sent once the request is decided, and wait while it is claimed', async () => {
  await put({ ...CHANNELS, ...slackThenMail });
  const [decided, claimed] = [await ask(app, here.agent), await ask(app, here.agent)];
  await drain(app);
  const sent = mails.mails.length;
  expect((await decide(here.reviewer.browser, decided)).status).toBe(200);
  await claim(app, claimed, {
    ...{ member: here.organization.owner, organizationId: here.organization.id },
  });
  for (const id of [decided, claimed]) await later(id);
  await drain(app);
  expect(mails.mails).toHaveLength(sent);
  expect((await messages(decided))[1]).toMatchObject({ over: 'request_closed' });
  await app.db('claims').where({ request_id: claimed }).update({ ended_at: new Date() });
  await later(claimed);
  await drain(app);
  expect(mails.mails).toHaveLength(sent + 1);
});

test('a step that fails for good makes the next one due at once, and only that', async () => {
  const steps = [step('slack', '0'), step('email', '5m'), step('slack', '10m')];
  await put({ ...CHANNELS, steps: { standard: steps } });
  await app.db('slack_links').where({ membership_id: here.reviewer.membershipId }).delete();
  const id = await ask(app, here.agent);
  const sent = mails.mails.length;
  await drain(app);
  await drain(app);
  expect(mails.mails).toHaveLength(sent + 1);
  expect(await messages(id)).toMatchObject([
    { kind: 'slack', over: 'not_linked' },
    { kind: 'email', over: 'delivered' },
    { kind: 'slack', due: 600 },
  ]);
});

test('a channel that is turned off leaves its time to the next one; without any, all channels get the message', async () => {
  await put({ ...CHANNELS, slack: false, ...slackThenMail });
  const first = await ask(app, here.agent);
  expect(await messages(first)).toMatchObject([{ kind: 'email', step: 2, due: 0 }]);
  await put({ ...CHANNELS, steps: { standard: [step('push', '10m')] } });
  const second = await ask(app, here.agent);
  expect(await messages(second)).toMatchObject([
    { kind: 'email', due: 0 },
    { kind: 'slack', due: 0 },
  ]);
});

test('steps are kept for each urgency, and refused where they are wrong', async () => {
  const steps = { standard: [step('slack', '0m'), step('email', '300s')] };
  expect((await put({ ...CHANNELS, steps })).body).toMatchObject(slackThenMail);
  const urgent = { ...steps, interrupt: [step('push', '1h')] };
  expect((await put({ ...CHANNELS, steps: urgent })).body).toMatchObject({
    steps: { ...slackThenMail.steps, interrupt: [step('push', '1h')] },
  });
  expect((await put(CHANNELS)).body['steps']).toHaveProperty('interrupt');
  for (const [wrong, pointer] of [
    [[step('slack', '5m'), step('email', '0')], '/steps/standard/1/after'],
    [[step('slack', '61m')], '/steps/standard/0/after'],
    [[step('slack', '5m'), step('slack', '300s')], '/steps/standard/1/after'],
    [[step('webhook', '0')], '/steps/standard/0/channel'],
    [[], '/steps/standard'],
    [new Array(7).fill(step('slack', '0')), '/steps/standard'],
  ] as const) {
    const refused = await put({ ...CHANNELS, steps: { standard: wrong } });
    expect(refused.status).toBe(400);
    expect(refused.body['error']?.['details']?.['issues']).toMatchObject([{ pointer }]);
  }
  expect((await put({ ...CHANNELS, steps: {} })).body['steps']).toEqual({});
  const id = await ask(app, here.agent);
  expect(await messages(id)).toMatchObject([{ due: 0 }, { due: 0 }]);
});

test('the preview of a path says when each person is told, by the urgency at that level', async () => {
  const steps = { ...slackThenMail.steps, interrupt: [step('email', '0')] };
  await put({ ...CHANNELS, steps });
  const user = { type: 'user', id: here.reviewer.membershipId };
  const level = (raise_urgency: boolean) => ({
    ...{ id: randomUUID(), type: 'level', targets: [user], escalate_after: '5m', raise_urgency },
  });
  const document = { name: 'Steps', working_hours: [], nodes: [level(false), level(true)] };
  const { owner } = here.organization;
  const previewed = await owner.browser.post('/api/v1/escalation-paths/preview', { document });
  const { body } = previewed;
  const asked = (body['steps'] ?? []).filter(({ kind }) => kind === 'level_notified');
  expect(asked.map(({ members }) => members)).toMatchObject([
    [{ steps: slackThenMail.steps.standard }],
    [{ steps: [step('email', '0')] }],
  ]);
});
