/** What is of TypeScript only: a ledger of promises, an abort before the beginning, and arguments for the function. */
import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Countersign,
  fileLedger,
  memoryLedger,
  type Options,
} from '../../../sdk/typescript/src/index.ts';
import { preToolUse } from '../../../sdk/typescript/src/adapters/claude.ts';
import { gateClient } from '../../../sdk/typescript/src/adapters/mcp.ts';
import { startBrokenServer } from '../../support/servers/broken-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
let creates = 0;
let withdrawn = 0;
const server = await startBrokenServer({
  spoil: (reply, { operation }) => {
    if (operation === 'create') creates += 1;
    if (operation === 'cancel') withdrawn += 1;
    return reply;
  },
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
const url = server.baseUrl.replace(/\/api\/aap$/, '');
const clientOf = (more: Options = {}) =>
  new Countersign({ url, token: server.credential, limit: '2m', ...more });
const call = { tool: 'approve', session: 'session', arguments: { amount: 1 } };

test('a ledger that fails once keeps the next key under the same name', async () => {
  const memory = memoryLedger();
  let isFull = true;
  const names: string[] = [];
  const client = clientOf({
    ledger: {
      ...memory,
      load: async (name) => {
        names.push(name);
        return await memory.load(name);
      },
      save: async (name, key) => {
        if (isFull) throw new Error('the disk is full');
        await memory.save(name, key);
      },
    },
  });
  await expect(client.run(call, () => 'ran')).rejects.toMatchObject({ reason: 'configuration' });
  isFull = false;
  expect(await client.run(call, () => 'ran')).toBe('ran');
  expect(names[1]).toBe(names[0]);
});

test('an abort while the key is forgotten leaves no approval to run with', async () => {
  const stop = new AbortController();
  const ledger = { ...memoryLedger(), remove: () => Promise.resolve(stop.abort()) };
  const options = { signal: stop.signal };
  await expect(clientOf({ ledger }).ask(call, options)).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('an `onPending` that fails later withdraws the request', async () => {
  const onPending = async () => {
    await Promise.resolve();
    throw new Error('the log is full');
  };
  const before = withdrawn;
  const held = { ...call, tool: 'hold' };
  await expect(clientOf({ onPending }).run(held, () => 'ran')).rejects.toThrow('the log is full');
  expect(withdrawn).toBe(before + 1);
});

test('a limit that no timer can hold is refused', () => {
  expect(() => clientOf({ limit: '600h' })).toThrow('at most 500h');
});

test('names of tools that run unasked are a list, of which a text would be a part', () => {
  const exempt = 'ReadFile' as unknown as string[];
  expect(() => preToolUse({ countersign: clientOf(), exempt })).toThrow(TypeError);
  const gate = { countersign: clientOf(), server: 'files', session: 'session', exempt };
  expect(() => {
    gateClient({ request: () => Promise.resolve({}) }, gate);
  }).toThrow(TypeError);
});

test('a ledger of files takes many keys of one call at once, and leaves nothing else', async () => {
  const ledger = fileLedger(folder);
  const keys = Array.from({ length: 20 }, (_, index) => String(index));
  await Promise.all(keys.map(async (key) => await ledger.save('call', key)));
  expect(keys).toContain(await ledger.load('call'));
  expect(readdirSync(folder)).toHaveLength(1);
});

test('an abort before the beginning asks no one', async () => {
  const before = creates;
  const signal = AbortSignal.abort(new Error('early'));
  await expect(clientOf().run(call, () => 'ran', { signal })).rejects.toThrow('early');
  expect(creates).toBe(before);
});

test('the function gets arguments of its own, and what was approved', async () => {
  const seen: unknown[] = [];
  await clientOf().run(call, (args, approved) => seen.push(args, approved.note));
  expect(seen).toEqual([{ amount: 1 }, 'Because.']);
  expect(Object.isFrozen(seen[0])).toBe(false);
  expect(seen[0]).not.toBe(call.arguments);
});

test('a call id that is null is refused', async () => {
  const asked = { ...call, callId: null as never };
  await expect(clientOf().run(asked, () => 'ran')).rejects.toThrow(TypeError);
});
