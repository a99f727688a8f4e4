/** Notifications by email, to a real SMTP server. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendDue } from '../../../src/services/notifications/send-loop.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/factories.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';

let mails: MailServer;
let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;
let reviewer: TestMember;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ environment: { SMTP_URL: mails.url, COUNTERSIGN_PUBLIC_URL: 'https://approvals.example' } });
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  const policies = [{ scope_kind: 'agent' as const, resource_ids: [agent.slug], permissions: ['request.decide'] }];
  reviewer = await createMember(app, organization.id, { policies });
});

afterAll(async () => {
  await app.close();
  await mails.close();
});

describe('an email about a request', () => {
  test('reaches everybody a level asks, says what is asked, and links to the request', async () => {
    const id = await ask(app, agent, { tool: 'refund', arguments: { amount: 12 } });
    await sendDue(app.context);
    const mail = await mails.mailTo(reviewer.email);
    expect(mail.subject).toContain('refund');
    expect(mail.text).toContain(`https://approvals.example/requests/${id}`);
    expect(mail.text).toContain('"amount":12');
    await mails.mailTo(organization.owner.email);
  });
});
