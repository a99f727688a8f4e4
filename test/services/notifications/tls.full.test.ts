/** Webhooks over real TLS, sent by a process that trusts one authority. */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { scene } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import { createAuthority, type ServerTerms } from '../../support/servers/certificates.ts';
import { createAgent } from '../../support/scene/factories.ts';
import { startTlsReceiver, type TlsReceiver } from '../../support/servers/tls-receiver.ts';
import { startTrustingProcess } from '../../support/processes/trusting-process.ts';
import { until } from '../../support/waiting.ts';
import { deliveriesOf } from './outbox.ts';

const DAY_MS = 86_400_000;
const environment = {
  COUNTERSIGN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  COUNTERSIGN_PUBLIC_URL: 'https://approvals.example',
};
const authority = createAuthority('Authority of the test');
const receivers: TlsReceiver[] = [];

const { app, organization } = await scene({ app: { environment } });
const sender = startTrustingProcess('test/support/processes/sender-process.ts', {
  authority,
  environment: { ...environment, DATABASE_URL: app.databaseUrl, PORT: '0' },
});

afterAll(async () => {
  await sender.end();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

interface Hook {
  readonly receiver: TlsReceiver;
  readonly channelId: string;
  readonly secret: string;
}

async function addHook(terms: Partial<ServerTerms> = {}, issuer = authority): Promise<Hook> {
  const receiver = await startTlsReceiver(issuer.issue({ names: ['localhost'], ...terms }));
  receivers.push(receiver);
  const body = { kind: 'webhook', name: 'Bot', url: `https://localhost:${receiver.port}/hook` };
  const headers = { origin: 'https://approvals.example' };
  const created = await organization.owner.browser.post('/api/v1/notification_channels', body, {
    headers,
  });
  if (created.status !== 201) throw new Error(created.text);
  return {
    receiver,
    channelId: String(created.body['notification_channel']?.['id']),
    secret: String(created.body['signing_secret']),
  };
}

test('a webhook is delivered only with a valid certificate', async () => {
  const right = await addHook();
  const wrong = {
    ERR_TLS_CERT_ALTNAME_INVALID: await addHook({ names: ['hooks.example'] }),
    CERT_HAS_EXPIRED: await addHook({
      from: new Date(Date.now() - 2 * DAY_MS),
      to: new Date(Date.now() - DAY_MS),
    }),
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: await addHook({}, createAuthority('Unknown authority')),
  };
  const id = await ask(app, await createAgent(app, organization));
  await until('every message is tried', async () => {
    if (sender.child.exitCode !== null) throw new Error(sender.errors());
    return (await deliveriesOf(app, id)).every(
      (row) => row.delivered_at !== null || row.last_error !== null,
    );
  });
  const deliveries = await deliveriesOf(app, id);
  expect(deliveries).toHaveLength(4);
  expect(deliveries.find((row) => row.channel_id === right.channelId)).toMatchObject({
    attempts: 1,
    last_error: null,
  });
  const [received, ...more] = right.receiver.received;
  expect([received?.serverName, received?.host, more.length]).toEqual([
    'localhost',
    `localhost:${right.receiver.port}`,
    0,
  ]);
  expect(
    new Webhook(right.secret).verify(
      received?.body ?? '',
      received?.headers as Record<string, string>,
    ),
  ).toMatchObject({
    type: 'approval_request.notified',
  });
  for (const [code, { channelId, receiver }] of Object.entries(wrong)) {
    const delivery = deliveries.find((row) => row.channel_id === channelId);
    expect(delivery).toMatchObject({
      last_error: `connection failed: certificate ${code}`,
      delivered_at: null,
      dead_at: null,
    });
    expect(receiver.received).toEqual([]);
  }
});
