/** A Temporal server that only TLS with certificates of a private authority reaches. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Adapter, requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createAgent, createOrganization } from '../support/scene/factories.ts';
import { createAuthority } from '../support/servers/certificates.ts';
import { until } from '../support/waiting.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-temporal-tls-'));
const authority = createAuthority('private');
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const ca = file('ca.pem', authority.cert);
const client = authority.issue({ names: ['countersign'] });
const clientFiles = {
  TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem', client.cert),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file('client-key.pem', client.key),
};
let proxy: Server;
let address: string;

/** Before the server of the run, which speaks no TLS. */
beforeAll(async () => {
  const [host = '', port = ''] = (process.env['TEST_TEMPORAL_ADDRESS'] ?? '').split(':');
  const server = authority.issue({ names: ['temporal.internal'] });
  const demanding = { requestCert: true, rejectUnauthorized: true, ca: authority.cert };
  const tls = { ...server, ...demanding, ALPNProtocols: ['h2'] };
  proxy = createServer(tls, (socket) => {
    const inside = connect({ host, port: Number(port) });
    socket.pipe(inside).pipe(socket);
    socket.on('error', () => inside.destroy());
    inside.on('error', () => socket.destroy());
  });
  proxy.on('tlsClientError', () => undefined);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => {
  proxy.close();
  rmSync(folder, { recursive: true });
});

async function using(
  files: Readonly<Record<string, string>>,
  work: (app: TestApp) => Promise<void>,
  temporal = false,
): Promise<void> {
  const temporalEnvironment = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'true', ...files };
  const app = await startApp({ temporal, temporalEnvironment });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

async function askOnce(app: TestApp) {
  const { credential } = await createAgent(app, await createOrganization(app));
  const adapter = new Adapter({ baseUrl: `${app.url}/api/aap`, credential });
  return requestOf(await adapter.create({ tool: 'pay', arguments: {}, timeout: '1h' }));
}

interface Readiness {
  readonly checks: { readonly temporal: { readonly status: string } };
}

test('is used with its authority, its name and a client certificate', async () => {
  const name = { TEMPORAL_TLS_SERVER_NAME: 'temporal.internal' };
  const files = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca, ...name, ...clientFiles };
  await using(
    files,
    async (app) => {
      // A server that a busy machine makes silent counts as away for a moment.
      const isReached = async () => {
        const { checks } = (await app.http.get('/health/ready')).body as unknown as Readiness;
        return checks.temporal.status === 'ok';
      };
      await until('readiness says that it is reached', isReached);
      const { id } = await askOnce(app);
      const routed = async () => {
        const row = await app.db('approval_requests').where({ id }).first<{ state: string }>();
        return row.state === 'pending';
      };
      await until('its workflow has run the rules', routed);
    },
    true,
  );
});

test.each([
  ['an authority that the system does not know', { ...clientFiles }, /UnknownIssuer/],
  [
    'another name than the certificate has',
    { TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca, ...clientFiles },
    /NotValidForName/,
  ],
  [
    'no client certificate',
    { TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca, TEMPORAL_TLS_SERVER_NAME: 'temporal.internal' },
    /CertificateRequired/,
  ],
])(
  'with %s is not used: readiness says why, and calls are taken all the same',
  async (_what, files, why) => {
    await using(files, async (app) => {
      const message = async () => {
        const { body } = await app.http.get('/health/ready');
        return (body['checks'] as unknown as { temporal: { message: string } }).temporal.message;
      };
      // On a busy machine, an attempt may end at its time limit instead.
      await until(`readiness says ${why}`, async () => why.test(await message()));
      expect((await askOnce(app)).status).toBe('pending');
    });
  },
);
