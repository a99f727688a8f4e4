/** Equal calls that park at the same time: people are asked once and told once, and each caller ends on its own. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Countersign, type Options } from '../../../sdk/typescript/src/index.ts';
import { startBrokenServer } from '../../support/servers/broken-server.ts';
import { until } from '../../support/waiting.ts';

let creates = 0;
let cancels = 0;
const server = await startBrokenServer({
  spoil: (reply, { operation }) => {
    if (operation === 'create') creates += 1;
    if (operation === 'cancel') cancels += 1;
    return reply;
  },
});
afterAll(async () => {
  await server.close();
});
const told: string[] = [];
let count = 0;
let call = { tool: 'hold', session: 'session', arguments: { count } };
beforeEach(() => {
  told.length = 0;
  creates = 0;
  cancels = 0;
  call = { ...call, arguments: { count: (count += 1) } };
});

const clientOf = (more: Options = {}) =>
  new Countersign({
    ...{ url: server.baseUrl.replace(/\/api\/aap$/, ''), token: server.credential },
    onPending: ({ id }) => void told.push(id),
    ...more,
  });
/** Of `run`: its result, or the status or message of what it threw. */
const running = async (client: Countersign, signal?: AbortSignal, park: boolean | string = true) =>
  await client
    .run(call, () => 'ran', { park, signal })
    .catch((error: { status?: string; message: string }) => error.status ?? error.message);

test.each(['one client', 'two clients'])(
  'an abort of one ends no wait of the other one, with %s',
  async (what) => {
    const [first, second] = [new AbortController(), new AbortController()];
    const client = clientOf();
    const one = running(client, first.signal);
    await until('a person is asked', () => told.length === 1);
    const two = running(what === 'one client' ? client : clientOf(), second.signal);
    await until('both are asked for', () => creates === 2);
    first.abort(new Error('stopped'));
    expect([await one, cancels]).toEqual(['stopped', 0]);
    server.decide(told[0] ?? '', 'approved');
    expect([await two, told.length]).toEqual(['ran', 1]);
  },
);

test('calls of an agent whose token was renewed are its own, and the last one withdraws what is open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-parked-'));
  const file = join(folder, 'credential');
  process.env['COUNTERSIGN_CREDENTIAL'] = file;
  const enrolled = (token: string) => {
    const url = server.baseUrl.replace(/\/api\/aap$/, '');
    writeFileSync(file, JSON.stringify({ url, token, agent: 'coder', instance: 'desk' }));
    return new Countersign({ onPending: ({ id }) => void told.push(id) });
  };
  const stop = new AbortController();
  const one = running(enrolled(server.credential), stop.signal);
  await until('a person is asked', () => told.length === 1);
  const two = running(enrolled(`${server.credential}-renewed`));
  await until('both are asked for', () => told.length === 2);
  stop.abort(new Error('stopped'));
  // Each token has a request of its own here. The last caller ends both.
  expect([await one, cancels]).toEqual(['stopped', 0]);
  server.decide(told[1] ?? '', 'approved');
  expect([await two, cancels]).toEqual(['ran', 1]);
  delete process.env['COUNTERSIGN_CREDENTIAL'];
  rmSync(folder, { recursive: true });
});

test('the last one that is aborted withdraws the request', async () => {
  const stop = new AbortController();
  const client = clientOf();
  const both = Promise.all([running(client, stop.signal), running(client, stop.signal)]);
  await until('both are asked for', () => creates === 2 && told.length === 1);
  stop.abort(new Error('stopped'));
  expect([await both, told.length]).toEqual([['stopped', 'stopped'], 1]);
  // Once by its key, too, where a caller left before it knew the request.
  expect(cancels).toBeGreaterThan(0);
});

test('a person is told again where telling failed, of which another call hears nothing', async () => {
  let isFull = true;
  const client = clientOf({
    onPending: ({ id }) => {
      told.push(id);
      if (!isFull) return;
      isFull = false;
      throw new Error('the log is full');
    },
  });
  const both = [running(client, undefined, '2s'), running(client, undefined, '2s')];
  expect((await Promise.all(both)).sort()).toEqual(['the log is full', 'waiting']);
  expect([await running(client, undefined, '2s'), cancels]).toEqual(['waiting', 0]);
  expect([await running(client, undefined, '2s'), told.length]).toEqual(['waiting', 2]);
});
