/** Starts that the service does not confirm, and what is reported of their calls. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { Countersign, type Options } from '../../../sdk/typescript/src/index.ts';
import { startBrokenServer } from '../../support/servers/broken-server.ts';

/** The service is away for starts until then, as `performance.now()`. */
let backAt = 0;
let starts: (string | undefined)[] = [];
let results: Record<string, unknown>[] = [];
let onStart: (() => void) | undefined;
let isStartedByAnother = false;
const server = await startBrokenServer({
  spoil: (reply, { operation, headers, body }) => {
    if (operation === 'result') {
      results.push(JSON.parse(body) as Record<string, unknown>);
      return { status: 204, headers: {}, body: '' };
    }
    if (operation !== 'start') return reply;
    starts.push(headers['idempotency-key'] as string | undefined);
    onStart?.();
    const isAway = performance.now() < backAt;
    const error = { type: 'conflict', code: 'already_started', message: 'It was started.' };
    if (isStartedByAnother && !isAway)
      return { ...reply, status: 409, body: JSON.stringify({ error }) };
    return isAway ? { ...reply, status: 503 } : reply;
  },
});
afterAll(async () => {
  await server.close();
});
beforeEach(() => {
  backAt = 0;
  starts = [];
  results = [];
  onStart = undefined;
  isStartedByAnother = false;
});

const url = server.baseUrl.replace(/\/api\/aap$/, '');
const clientOf = (more: Options = {}) =>
  new Countersign({ url, token: server.credential, limit: '3s', ...more });
let count = 0;
const callOf = () => ({
  ...{ tool: 'approve', session: 'session', callId: String((count += 1)) },
  arguments: { amount: 1 },
});
const runs: unknown[] = [];
const running = async (signal?: AbortSignal) =>
  await clientOf().run(callOf(), (args) => runs.push(args), { signal });
const UNKNOWN = {
  reason: 'unreachable',
  message: expect.stringContaining('did not confirm that it started the approval'),
};
/** After the asking ended, and before the limit. */
const awayForStarts = () => {
  backAt = performance.now() + 2_350;
};

test('a start that is never confirmed is reported as not run, and the error says what is known', async () => {
  awayForStarts();
  await expect(running()).rejects.toMatchObject(UNKNOWN);
  expect([runs, results]).toEqual([[], [{ outcome: 'not_run' }]]);
  expect(new Set(starts).size).toBe(1);
});

test('so it is by `settle`, which waits as long as reviewers have', async () => {
  const client = clientOf();
  const ticket = await client.start(callOf());
  awayForStarts();
  await expect(client.settle(ticket)).rejects.toMatchObject(UNKNOWN);
  expect(results).toEqual([{ outcome: 'not_run' }]);
});

test('an abort while it is started is reported as not run', async () => {
  const stop = new AbortController();
  backAt = Infinity;
  onStart = () => {
    stop.abort(new Error('stopped'));
    backAt = 0;
  };
  await expect(running(stop.signal)).rejects.toThrow('stopped');
  expect([runs, results]).toEqual([[], [{ outcome: 'not_run' }]]);
});

test('nothing is reported of an approval that another caller started', async () => {
  isStartedByAnother = true;
  awayForStarts();
  await expect(running()).rejects.toMatchObject(UNKNOWN);
  expect([runs, results]).toEqual([[], []]);
});

test('a detail keeps as many characters as the service takes, and no half of one', async () => {
  const detail = `${'a'.repeat(1_999)}😀`;
  const approved = await clientOf().ask(callOf());
  await clientOf().report(approved, { outcome: 'failed', detail });
  expect(results).toEqual([{ outcome: 'failed', detail: 'a'.repeat(1_999) }]);
});
