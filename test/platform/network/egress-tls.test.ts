/**
 * Calls over TLS: the certificate is checked against the name in the URL, and the connection goes
 * to the checked address.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createAuthority,
  type Authority,
  type ServerTerms,
} from '../../support/servers/certificates.ts';
import {
  startEgressCaller,
  type EgressCaller,
  type EgressResult,
} from '../../support/processes/egress-calls.ts';
import { startTlsReceiver, type TlsReceiver } from '../../support/servers/tls-receiver.ts';

const NAME = 'hooks.example';
const DAY_MS = 86_400_000;
const LOOPBACK = ['127.0.0.1'];
const receivers: TlsReceiver[] = [];
let authority: Authority;
let caller: EgressCaller;

beforeAll(() => {
  authority = createAuthority('Authority of the test');
  caller = startEgressCaller(authority);
});

afterAll(async () => {
  await caller.end();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function receive(terms: Partial<ServerTerms> = {}, issuer = authority): Promise<TlsReceiver> {
  const receiver = await startTlsReceiver(issuer.issue({ names: [NAME], ...terms }));
  receivers.push(receiver);
  return receiver;
}

const call = async (
  { port }: TlsReceiver,
  { host = NAME, allow = LOOPBACK, answers = [LOOPBACK, LOOPBACK] } = {},
): Promise<EgressResult> =>
  await caller.call({ url: `https://${host}:${port}/hook`, allow, answers });

describe('a call over TLS', () => {
  test('names the host that it verifies, although it connects to the checked address', async () => {
    const receiver = await receive();
    expect(await call(receiver)).toEqual({ posted: 204 });
    expect(receiver.received).toMatchObject([
      { serverName: NAME, host: `${NAME}:${receiver.port}` },
    ]);
  });

  test.each<[string, Partial<ServerTerms>, string]>([
    ['another name', { names: ['hooks.example.org'] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['a name below it', { names: [`*.${NAME}`] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['the address it connects to', { names: ['127.0.0.1'] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    [
      'a time in the past',
      { from: new Date(Date.now() - 2 * DAY_MS), to: new Date(Date.now() - DAY_MS) },
      'CERT_HAS_EXPIRED',
    ],
    [
      'a time in the future',
      { from: new Date(Date.now() + DAY_MS), to: new Date(Date.now() + 2 * DAY_MS) },
      'CERT_NOT_YET_VALID',
    ],
  ])(
    'refuses a certificate for %s, and sends its presenter nothing',
    async (_what, terms, code) => {
      const receiver = await receive(terms);
      expect(await call(receiver)).toEqual({ posted: code });
      expect(receiver.received).toEqual([]);
    },
  );

  test('refuses a certificate of an untrusted authority, even with the name of a trusted one', async () => {
    const receiver = await receive({}, createAuthority('Authority of the test'));
    expect(await call(receiver)).toEqual({
      posted: expect.stringMatching(/^(UNABLE_TO_|CERT_SIGNATURE_FAILURE|SELF_SIGNED_)/),
    });
    expect(receiver.received).toEqual([]);
  });

  test('accepts a certificate for the address when the URL names one', async () => {
    expect(await call(await receive({ names: ['127.0.0.1'] }), { host: '127.0.0.1' })).toEqual({
      posted: 204,
    });
    expect(await call(await receive(), { host: '127.0.0.1' })).toEqual({
      posted: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test('is refused when the name, which was allowed on saving, has changed to a private address', async () => {
    const receiver = await receive();
    for (const turned of ['10.0.0.1', '127.0.0.2', '169.254.169.254']) {
      expect(await call(receiver, { answers: [LOOPBACK, [turned]] })).toEqual({
        posted: 'address',
      });
    }
    expect(await call(receiver, { allow: [], answers: [['8.8.8.8'], LOOPBACK] })).toEqual({
      posted: 'address',
    });
    expect(receiver.received).toEqual([]);
  });
});
