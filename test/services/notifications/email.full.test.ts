/** Notifications by email, to a real SMTP server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { shownInstant } from '../../../src/domain/shown-text.ts';
import { sendDue } from '../../support/outbox.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { startMailServer, type ReceivedMail } from '../../support/servers/mail-server.ts';
import { bringForward, deliveriesOf, drain } from './outbox.ts';

const publicUrl = 'https://approvals.example';
const browserHeaders = { headers: { origin: publicUrl } };

let organization: TestOrganization;
let agent: TestAgent;
let reviewer: TestMember;

let mails = await startMailServer();
const environment = {
  SMTP_URL: mails.url,
  COUNTERSIGN_PUBLIC_URL: publicUrl,
  COUNTERSIGN_EMAIL_FROM: 'Approvals <ask@approvals.example>',
};
const app = await appForFile({ environment });

afterAll(() => mails.close());

beforeEach(async () => {
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  const policies = [
    { scope_kind: 'agent' as const, resource_ids: [agent.slug], permissions: ['request.decide'] },
  ];
  reviewer = await createMember(app, organization.id, { policies });
});

const header = (mail: ReceivedMail, name: string) =>
  mail.headers.find(([candidate]) => candidate === name)?.[1];
const mailsTo = ({ email }: TestMember) => mails.mails.filter(({ to }) => to.includes(email));

describe('an email about a request', () => {
  test('reaches everyone a level asks, once, describes the request, and links to it', async () => {
    const id = await ask(app, agent, { tool: 'refund', arguments: { amount: 12 } });
    await drain(app);
    await drain(app);
    const mail = await mails.mailTo(reviewer.email);
    expect(mail.subject).toBe(`Refund 12 (Agent ${agent.slug}), 59 min left`);
    expect(mail.text).toContain('waiting for your decision:\n\n    Refund 12\n');
    expect(mail.text).toContain(`${publicUrl}/requests/${id}`);
    expect(mail.text).toContain('"amount": 12');
    expect(mail.text).toMatch(/Decide by: {2}\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC \(59 min left\)/);
    expect([mailsTo(reviewer).length, mailsTo(organization.owner).length]).toEqual([1, 1]);
  });

  test('says when the agent can no longer read the decision', async () => {
    await ask(app, agent, { tool: 'refund' });
    await app
      .db('agent_credentials')
      .where({ agent_instance_id: agent.instanceId })
      .update({ revoked_at: new Date() });
    await drain(app);
    expect((await mails.mailTo(reviewer.email)).text).toContain(
      'The agent can no longer read the decision: its credential has ended.',
    );
    await ask(app, await createAgent(app, organization));
    await drain(app);
    const [, other] = mailsTo(organization.owner);
    expect(other?.text).not.toContain('can no longer');
  });

  test('has one id for all its attempts, and belongs to the thread of its request', async () => {
    const id = await ask(app, agent);
    await drain(app);
    const [mine, owners] = [
      await mails.mailTo(reviewer.email),
      await mails.mailTo(organization.owner.email),
    ];
    const ids = (await deliveriesOf(app, id)).map((row) => `<${row.id}@approvals.example>`);
    expect([header(mine, 'message-id'), header(owners, 'message-id')].sort()).toEqual(ids.sort());
    for (const name of ['references', 'in-reply-to'])
      expect(header(mine, name)).toBe(`<${id}@approvals.example>`);
    expect(header(mine, 'auto-submitted')).toBe('auto-generated');
    expect(header(mine, 'x-auto-response-suppress')).toBe('All');
  });

  test('lets no agent write a header, one of our lines, or invisible text', async () => {
    const tool = 'refund\r\nBcc: thief@example.com\r\n\r\nDecide by:  never\u202etxt.exe';
    await ask(app, agent, { tool, arguments: { note: 'a\u202eb' } });
    await drain(app);
    const mail = await mails.mailTo(reviewer.email);
    expect(mail.headers.map(([name]) => name)).not.toContain('bcc');
    expect(mail.to).toEqual([reviewer.email]);
    expect(mail.subject).toContain('refund Bcc: thief@example.com Decide by: never\\u202etxt.exe');
    expect(mail.text.match(/^Decide by: /gm)).toHaveLength(1);
    expect(mail.text).not.toContain('\u202e');
    expect(mail.text).toContain(String.raw`"a\u202eb"`);
  });

  test('shows both ends of long arguments and says that they are shortened', async () => {
    await ask(app, agent, { arguments: { text: `${'x'.repeat(5_000)}the end` } });
    await drain(app);
    const { text } = await mails.mailTo(reviewer.email);
    expect(text).toContain(`"text": "${'x'.repeat(300)}`);
    expect(text).not.toContain('x'.repeat(501));
    expect(text).toContain('the end"');
    expect(text).toContain(
      'Shortened here: /text (5,007 characters). Open the request to read all of it.',
    );
  });

  test('says until when the level waits, and does not promise that others are asked next', async () => {
    const { owner } = organization;
    const target = { type: 'user', id: reviewer.membershipId };
    const nodes = [{ id: randomUUID(), type: 'level', targets: [target], escalate_after: '15m' }];
    await activatePath(owner, { path_key: 'last', name: 'Last', nodes });
    const config = { outcome: 'human', reason: 'Refunds', escalation_path: 'last' };
    const blocks = [{ id: 'people', name: 'People', type: 'always', config }];
    await activatePipeline(owner, `agents/${agent.slug}`, {
      blocks,
      default_escalation_path: 'last',
    });
    const id = await ask(app, agent);
    await drain(app);
    const { text } = await mails.mailTo(reviewer.email);
    const step = await app
      .db('escalation_steps')
      .where({ request_id: id })
      .first<{ escalate_at: Date }>('escalate_at');
    expect(text).toContain(`This level waits until ${shownInstant(step.escalate_at)} (15m)`);
    expect(text).not.toContain('others');
  });

  test('is not sent to people who do not want it, as soon as they say so', async () => {
    const id = await ask(app, agent);
    const settings = { email: false, slack: true };
    const put = await reviewer.browser.call('PUT', '/api/v1/me/notification_settings', {
      body: settings,
      ...browserHeaders,
    });
    expect([put.status, put.body]).toEqual([
      200,
      { ...settings, push: true, steps: {}, troubled_channels: [] },
    ]);
    await drain(app);
    expect([mailsTo(reviewer).length, mailsTo(organization.owner).length]).toEqual([0, 1]);
    expect((await deliveriesOf(app, id)).map((row) => row.dropped_reason).filter(Boolean)).toEqual([
      'opted_out',
    ]);
    await reviewer.browser.call('PUT', '/api/v1/me/notification_settings', {
      body: { ...settings, email: true },
      ...browserHeaders,
    });
    await ask(app, agent);
    await drain(app);
    expect(mailsTo(reviewer)).toHaveLength(1);
  });

  test('waits while the mail server is unreachable, and arrives when it is back', async () => {
    const { port } = mails;
    await mails.close();
    const id = await ask(app, agent);
    await sendDue(app.context);
    const away = await deliveriesOf(app, id);
    expect(away.map((row) => [row.attempts, row.delivered_at])).toEqual([
      [1, null],
      [1, null],
    ]);
    expect(away[0]?.last_error).toMatch(/ECONN|closed|Connection/i);
    mails = await startMailServer({ port });
    await bringForward(app);
    await drain(app);
    await mails.mailTo(reviewer.email);
    expect((await deliveriesOf(app, id)).every((row) => row.delivered_at !== null)).toBe(true);
  });
});

test('opening the link of an email decides nothing', async () => {
  const id = await ask(app, agent);
  await organization.owner.browser.get(`/requests/${id}`);
  await app.http.get(`/requests/${id}`);
  const { body } = await organization.owner.http.get(`/api/v1/requests/${id}`);
  expect(body['status']).toBe('pending');
});

test('a deployment without a mail server adds no email to the outbox', async () => {
  const silent = await startApp();
  const its = await createOrganization(silent);
  const id = await ask(silent, await createAgent(silent, its));
  expect(await deliveriesOf(silent, id)).toEqual([]);
  await silent.close();
});
