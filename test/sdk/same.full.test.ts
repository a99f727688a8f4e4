/** What both SDKs have to make alike: keys, digests, ledgers, and where a token goes. A call that one began, the other one finds. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { startBrokenServer } from '../support/servers/broken-server.ts';
import { eachSdk } from './drivers/each.ts';
import type { SdkCall, SdkOptions, SdkTicket } from './drivers/sdk.ts';

const vectors = JSON.parse(readFileSync(join(packageRoot(), 'test/sdk/vectors.json'), 'utf8')) as {
  readonly keys: readonly Pick<SdkCall, 'session' | 'callId' | 'tool' | 'server' | 'ordinal'>[];
  readonly equal: readonly (readonly [string, string])[];
  readonly different: readonly (readonly [string, string])[];
  readonly invalid: readonly string[];
};

const folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-'));
const keys: unknown[] = [];
const server = await startBrokenServer({
  spoil: (reply, { operation, headers }) => {
    if (operation === 'create') keys.push(headers['idempotency-key']);
    return reply;
  },
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
const url = server.baseUrl.replace(/\/api\/aap$/, '');
const call: SdkCall = { tool: 'approve', session: 'session', arguments: { amount: 1 } };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const DIGESTS = [
  ['{"b": [1.50, -0, 1e400], "a": "\\u00e9\\n\\ud83d"}', '{"a":"é\\n\\ud83d","b":[15e-1,0,1e400]}'],
  ['{"😀": {}, "\uffff": null, "z": true}', '{"z":true,"😀":{},"\uffff":null}'],
] as const;

let place = 0;

eachSdk((sdk) => {
  place += 1;
  const own = `sdk-${String(place)}`;
  const clientOf = async (more: SdkOptions = {}) =>
    (await sdk.client({ url, token: server.credential, limit: '2m', ...more })).client;
  /** All that reviewers see, with the canonical text of the arguments. */
  const questionOf = (args: string) =>
    `{"arguments":${args},"context":{"session":"${own}"},"timeout":"110s","tool":"hold"}`;
  const ticketOf = async (text: string) => {
    const asked = { ...call, tool: 'hold', session: own, arguments: text };
    return (await (await clientOf()).start(asked).ended).value as SdkTicket;
  };

  test('keys are those of the other SDKs', async () => {
    const client = await clientOf();
    for (const given of vectors.keys) {
      await client.start({ ...call, ...given }).ended;
      const { session, callId, tool, server = '', ordinal = 1 } = given;
      const parts = [session, callId, tool, server, sha256('{"amount":1e0}'), String(ordinal)];
      expect(keys.at(-1)).toBe(sha256(JSON.stringify(parts)));
    }
  });

  test('digests are those of the other SDKs', async () => {
    for (const [text, canonical] of DIGESTS)
      expect((await ticketOf(text)).digest).toBe(sha256(questionOf(canonical)));
  });

  describe('JSON', () => {
    const digestOf = async (value: string) => (await ticketOf(`{"a":${value}}`)).digest;

    test('of equal values is equal, and of others is not', async () => {
      for (const [one, other] of vectors.equal)
        expect([one, await digestOf(one)]).toEqual([one, await digestOf(other)]);
      for (const [one, other] of vectors.different)
        expect([one, await digestOf(one)]).not.toEqual([one, await digestOf(other)]);
    });

    test('that is none, or that is too deep or too long, is refused', async () => {
      const client = await clientOf();
      const before = keys.length;
      const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
      for (const text of [...vectors.invalid, deep, `1e${'9'.repeat(100_000)}`]) {
        const { failure } = await client.start({ ...call, arguments: `{"a":${text}}` }).ended;
        expect([text, ['SyntaxError', 'ValueError']]).toEqual([
          text,
          expect.arrayContaining([failure?.name]),
        ]);
      }
      const { failure } = await client.start({ ...call, arguments: '[1]' }).ended;
      expect([failure?.name, keys.length]).toEqual(['TypeError', before]);
    });

    test('of long numbers takes linear time, and loses no digit', async () => {
      const zeros = '0'.repeat(200_000);
      expect((await ticketOf(`{"a":1${zeros}1}`)).digest).toBe(
        sha256(questionOf(`{"a":1${zeros}1e0}`)),
      );
    });
  });

  describe('a ledger', () => {
    test('that fails after the call has run does not make it look as if it had not', async () => {
      const client = await clientOf({ ledger: { fails: 'remove' } });
      expect(await client.run(call).ended).toMatchObject({ value: 'ran' });
      expect(await client.run({ ...call, tool: 'deny' }).ended).toMatchObject({
        failure: { status: 'denied' },
      });
    });

    test('that keeps no key lets nothing run, and says so', async () => {
      const client = await clientOf({ ledger: { fails: 'save' } });
      expect(await client.run(call).ended).toMatchObject({
        runs: [],
        failure: {
          reason: 'configuration',
          message: expect.stringContaining('the disk is full') as unknown,
        },
      });
    });

    test('forgets a call that was settled, also in another process', async () => {
      const ledger = { folder: join(folder, own) };
      const files = () => readdirSync(ledger.folder);
      for (const tool of ['approve', 'deny']) {
        const first = await clientOf({ ledger });
        const ticket = (await first.start({ ...call, tool }).ended).value as SdkTicket;
        const [name = ''] = files();
        expect([files().length, statSync(join(ledger.folder, name)).mode & 0o777]).toEqual([
          1, 0o600,
        ]);
        const second = await clientOf({ ledger });
        await second.settle(ticket).ended;
        expect(files()).toEqual([]);
      }
      const client = await clientOf({ ledger });
      const held = (await client.start({ ...call, tool: 'hold' }).ended).value as SdkTicket;
      expect(await client.withdraw(held).ended).toEqual({ runs: [], value: true });
      expect(files()).toEqual([]);
    });
  });

  test('the token of `countersign enroll` goes to no other address', async () => {
    const file = join(folder, 'credential');
    writeFileSync(file, JSON.stringify({ url, token: server.credential }));
    const env = { COUNTERSIGN_CREDENTIAL: file };
    const other = await sdk.client({ url: 'https://elsewhere.example' }, env);
    expect(other.failure?.message).toMatch(/ is for .*, not for https:\/\/elsewhere\.example\./);
    for (const options of [{}, { url: `${url}/` }]) {
      const { client } = await sdk.client(options, env);
      expect(await client.run(call).ended).toMatchObject({ value: 'ran' });
    }
    const { client } = await sdk.client(
      {},
      { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: server.credential },
    );
    expect(await client.run(call).ended).toMatchObject({ value: 'ran' });
    writeFileSync(file, '{"url": 1}');
    expect((await sdk.client({}, env)).failure).toMatchObject({ reason: 'configuration' });
  });
});
