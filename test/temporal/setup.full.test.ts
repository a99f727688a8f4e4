/** A Temporal server that refuses to register what is missing, and one that cannot be connected to. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { ConfigError } from '../../src/platform/config.ts';
import { temporalConnectionOptions } from '../../temporal/connection-options.ts';
import { SEARCH_ATTRIBUTES, setupTemporal, type SetupConnection } from '../../temporal/setup.ts';
import { startApp } from '../support/app.ts';
import { createAuthority } from '../support/servers/certificates.ts';
import { until } from '../support/waiting.ts';

let connection: Connection;
let names = 0;

beforeAll(async () => {
  connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '' });
});
afterAll(() => connection.close());

/** The same server for a caller without the right to these calls. */
function without(...calls: readonly string[]): SetupConnection {
  const refusing = <T extends object>(service: T): T =>
    new Proxy(service, {
      get: (target, call) => {
        if (!calls.includes(String(call))) return Reflect.get(target, call) as unknown;
        const error = { code: 7, details: 'Request unauthorized.', metadata: {} };
        return () => Promise.reject(Object.assign(new Error('7 PERMISSION_DENIED'), error));
      },
    });
  return {
    workflowService: refusing(connection.workflowService),
    operatorService: refusing(connection.operatorService),
  };
}

async function registeredNamespace(): Promise<string> {
  const namespace = `setup-${process.pid}-${++names}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  const known = () =>
    connection.workflowService.countWorkflowExecutions({ namespace }).then(
      () => true,
      () => false,
    );
  await until('the namespace is known', known);
  return namespace;
}

describe('a Temporal server', () => {
  test('where no namespace may be registered gets the attributes in the one that it has', async () => {
    const namespace = await registeredNamespace();
    await setupTemporal(without('registerNamespace'), namespace);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining([...SEARCH_ATTRIBUTES]));
  });

  test('that has no such namespace and refuses to register it is named at once, with what to do', async () => {
    const setup = setupTemporal(without('registerNamespace'), 'nowhere');
    await expect(setup).rejects.toThrow(
      /register namespace nowhere.*unauthorized.*TEMPORAL_NAMESPACE/,
    );
  });

  test('that refuses the name of the namespace is named at once', async () => {
    const setup = setupTemporal(connection, 'n'.repeat(2_000));
    await expect(setup).rejects.toThrow(/INVALID_ARGUMENT/);
  });

  test.each(['addSearchAttributes', 'listSearchAttributes'])(
    'that refuses %s is named at once, with all five attributes and their type',
    async (call) => {
      const setup = setupTemporal(without(call), await registeredNamespace());
      await expect(setup).rejects.toThrow(
        new RegExp(`all of type Keyword: ${SEARCH_ATTRIBUTES.join(', ')}\\.`),
      );
    },
  );
});

describe('TLS to Temporal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-temporal-tls-'));
  const authority = createAuthority('private');
  const server = authority.issue({ names: ['127.0.0.1'] });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = file('ca.pem', authority.cert);
  const text = file('text.pem', 'text');
  const cert = file('cert.pem', server.cert);
  const key = file('key.pem', server.key);
  const other = file('other.pem', authority.issue({ names: ['other'] }).key);

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const options = (files: Record<string, string>) => () =>
    temporalConnectionOptions({
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      ...Object.fromEntries(
        Object.entries(files).map(([name, path]) => [`TEMPORAL_TLS_${name}_PATH`, path]),
      ),
    });

  test('takes an authority and a client certificate', () => {
    const files = { SERVER_CA_CERT: ca, CLIENT_CERT: cert, CLIENT_KEY: key };
    expect(options(files)().tls).toMatchObject({ clientCertPair: {} });
  });

  test.each([
    ['an authority that is missing', { SERVER_CA_CERT: '/none/ca.pem' }, /\/none\/ca\.pem/],
    ['an authority that is a folder', { SERVER_CA_CERT: folder }, /EISDIR/],
    ['an authority that is text', { SERVER_CA_CERT: text }, /authority certificate holds no/],
    [
      'a client certificate that is text',
      { CLIENT_CERT: text, CLIENT_KEY: key },
      /client certificate/,
    ],
    [
      'a client key that is text',
      { CLIENT_CERT: cert, CLIENT_KEY: text },
      /client key holds no key/,
    ],
    ['the key of another certificate', { CLIENT_CERT: cert, CLIENT_KEY: other }, /not that of/],
    ['a certificate without its key', { CLIENT_CERT: cert }, /Check TEMPORAL_TLS/],
  ])('refuses %s in one sentence', (_what, files, pattern) => {
    expect(options(files)).toThrow(ConfigError);
    expect(options(files)).toThrow(pattern);
    expect(options(files)).toThrow(/^TLS to Temporal cannot be set up: [^\n]+\.$/);
  });
});

test('readiness and log say why there is no connection, without a stack', async () => {
  const silent = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const app = await startApp({
    temporalAddress: `127.0.0.1:${(silent.address() as AddressInfo).port}`,
  });
  const message = async () => {
    const { body } = await app.http.get('/health/ready');
    const { temporal } = body['checks'] as unknown as { temporal: { message: string } };
    return temporal.message;
  };
  await until('readiness says why', async () => (await message()) !== 'not connected');
  expect(await message()).toMatch(/^not connected: .+/);
  const lines = app.log.filter((line) => line.includes('Temporal is not available'));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes('"stack"'))).toEqual([]);
  await app.close();
  silent.close();
});
