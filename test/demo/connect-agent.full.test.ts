/** The adapter of the guide «Connecting agents» survives restarts and failures. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  approvalOf,
  credentialOf,
  mayStart,
  NoAnswer,
  type Replica,
} from '../../demo/connect-agent.ts';
import { createProvisioner } from '../support/scene/factories.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { until } from '../support/waiting.ts';

const { app, organization, people, decide } = await scene({
  app: { rules: 'door' },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { token: provisioner } = await createProvisioner(app, organization, 'bot');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-connect-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const replica = (name: string): Replica => ({
  url: app.url,
  provisioner,
  name,
  file: join(folder, name),
});
const refund = (key: string) => ({
  key,
  tool: 'refund',
  arguments: { amount: 120 },
  timeout: '10m',
});
const idsOf = async (idempotency_key: string, state?: string) =>
  (await app
    .db('approval_requests')
    .where({ idempotency_key, ...(state && { state }) })
    .pluck('id')) as string[];

describe('a replica', () => {
  test('keeps its credential in a file that only its user can read, and reads it after a restart', async () => {
    const one = replica('one');
    const token = await credentialOf(one);
    expect(readFileSync(one.file, 'utf8')).toBe(token);
    expect(statSync(one.file).mode & 0o777).toBe(0o600);
    expect(await credentialOf({ ...one, url: 'http://127.0.0.1:1' })).toBe(token);
  });

  test('gets the same instance and token when it died before it stored them', async () => {
    const two = replica('two');
    const token = await credentialOf(two);
    rmSync(two.file);
    expect(await credentialOf(two)).toBe(token);
    const made = app.db('agent_instances').whereRaw(`metadata ->> 'replica' = 'two'`);
    expect(await made.pluck('name')).toEqual([expect.stringMatching(/^bot-/)]);
  });

  test('goes on with the request that it waited for before the restart', async () => {
    const before = { url: app.url, token: await credentialOf(replica('three')) };
    const waiting = approvalOf(before, refund('call-3'));
    await until('a person is asked', async () => (await idsOf('call-3', 'pending')).length > 0);
    const [id = ''] = await idsOf('call-3');
    const after = { url: app.url, token: await credentialOf(replica('three')) };
    const again = approvalOf(after, refund('call-3'));
    expect((await decide(people.ada, id)).status).toBe(200);
    const approval = await again;
    expect([approval.id, approval.status, mayStart(approval)]).toEqual([id, 'approved', true]);
    expect(await idsOf('call-3')).toEqual([id]);
    expect(await approvalOf(after, refund('call-3'))).toEqual(approval);
    expect(await waiting).toEqual(approval);
  });

  test('withdraws the request of a call that is not wanted any more, also while it is made', async () => {
    const token = await credentialOf(replica('six'));
    const parked = new AbortController();
    const waiting = approvalOf({ url: app.url, token, signal: parked.signal }, refund('call-6'));
    await until('a person is asked', async () => (await idsOf('call-6', 'pending')).length > 0);
    parked.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(await idsOf('call-6', 'cancelled')).toHaveLength(1);

    const early = new AbortController();
    const asking = approvalOf({ url: app.url, token, signal: early.signal }, refund('call-7'));
    early.abort();
    await expect(asking).rejects.toThrow('aborted');
    expect(await idsOf('call-7')).toEqual(await idsOf('call-7', 'cancelled'));
    // Nothing is left of it that someone could approve later.
    expect((await approvalOf({ url: app.url, token }, refund('call-7'))).status).toBe('cancelled');
  });

  test('gives up in time, and withdraws what no one answered', async () => {
    const token = await credentialOf(replica('eight'));
    const impatient = { url: app.url, token, patienceMs: 1_500 };
    await expect(approvalOf(impatient, refund('call-8'))).rejects.toThrow(NoAnswer);
    expect(await idsOf('call-8', 'cancelled')).toHaveLength(1);
  });

  test('does not start a call that was denied, or whose approval is over', () => {
    const at = (ms: number) => ({ expires_at: new Date(Date.now() + ms).toISOString() });
    expect(mayStart({ id: '1', status: 'denied' })).toBe(false);
    expect(mayStart({ id: '1', status: 'approved' })).toBe(false);
    expect(mayStart({ id: '1', status: 'approved', decision: at(-1) })).toBe(false);
    expect(mayStart({ id: '1', status: 'approved', decision: at(60_000) })).toBe(true);
  });
});

describe('a service that fails', () => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(request.url ?? '');
    if (calls.length === 1) response.writeHead(503, { 'retry-after': '1' }).end();
    else if (calls.length === 2) request.socket.destroy();
    else if (request.headers.authorization === 'Bearer revoked') response.writeHead(401).end('no');
    else if (request.headers.authorization === 'Bearer moved')
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    else if (request.headers.authorization === 'Bearer page')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    else if (request.headers.authorization !== 'Bearer silent')
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ credential: { token: 'whc_1' } }));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('is asked again, and a refusal is final', async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await credentialOf({ ...replica('four'), url })).toBe('whc_1');
    expect(calls).toEqual(Array(3).fill('/api/aap/v1/instances'));
    await expect(approvalOf({ url, token: 'revoked' }, refund('call-4'))).rejects.toThrow(
      '401: no',
    );
    expect(calls).toHaveLength(4);
    // Neither is the service.
    for (const [token, said] of [
      ['moved', '302'],
      ['page', '200: <!doctype html>'],
    ] as const)
      await expect(approvalOf({ url, token }, refund('call-4'))).rejects.toThrow(said);
    expect(calls).toHaveLength(6);
    const silent = { url, token: 'silent', patienceMs: 300, signal: AbortSignal.timeout(60_000) };
    await expect(approvalOf(silent, refund('call-4'))).rejects.toThrow(NoAnswer);
  });

  test.each(['', 'countersign.example.com', 'ftp://countersign.example.com', 'http://'])(
    'is not looked for at %p, which is no address',
    async (url) => {
      await expect(approvalOf({ url, token: 'whc_1' }, refund('call-5'))).rejects.toThrow(
        'is no http or https URL',
      );
      await expect(credentialOf({ ...replica('five'), url })).rejects.toThrow(
        'is no http or https URL',
      );
    },
  );
});
