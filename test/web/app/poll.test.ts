import { expect, test } from '@jest/globals';
import type { Changes } from '../../../web/src/shared/live/changes.ts';
import { poll, type Message } from '../../../web/src/shared/live/poll.ts';
import { isBusy, pauseMs, readsAgain, withJitter } from '../../../web/src/shared/api/retries.ts';
import { ApiError } from '../../../web/src/shared/api/api.ts';

const changes = (cursor: string): Changes => ({
  changed: [],
  gone: [],
  counts: { notified: 0, decidable: 0, visible: 0 },
  cursor,
});

/** Answers in turn: a cursor, or the status of a failure. The poll ends after the last. */
async function polled(
  answers: readonly (string | number)[],
  { after, retryAfterSeconds }: { readonly after?: string; retryAfterSeconds?: number } = {},
) {
  const ended = new AbortController();
  const [asked, pauses, sent]: [unknown[], number[], Message[]] = [[], [], []];
  await poll({
    after,
    read: async (cursor) => {
      asked.push(cursor);
      const answer = answers[asked.length - 1];
      if (asked.length > answers.length) ended.abort();
      if (typeof answer === 'string') return await Promise.resolve(changes(answer));
      throw new Error(String(answer));
    },
    failureOf: (error) => ({ status: Number((error as Error).message), retryAfterSeconds }),
    pause: async (ms) => {
      pauses.push(ms);
      await Promise.resolve();
    },
    send: (message) => sent.push(message),
    signal: ended.signal,
  });
  const heard = sent.map((message) =>
    message.kind === 'changes' ? `${message.changes.reset ? 'reset' : 'changes'}` : message.kind,
  );
  return { asked: asked.slice(0, -1), pauses, heard };
}

test('goes on from the cursor that the tab knows', async () => {
  const { asked, heard } = await polled(['b', 'c'], { after: 'a' });
  expect(asked).toEqual(['a', 'b']);
  expect(heard).toEqual(['changes', 'changes']);
});

test('without a cursor, lists are read again, because changes before are unknown', async () => {
  expect(await polled(['b', 'c'])).toMatchObject({
    asked: [undefined, 'b'],
    heard: ['reset', 'changes'],
  });
});

test('a cursor that the service refuses is dropped', async () => {
  expect(await polled([400, 'b'], { after: 'old' })).toMatchObject({
    asked: ['old', undefined],
    heard: ['reset'],
  });
});

test('one failure means nothing, more say that the list may be out of date', async () => {
  const { asked, pauses, heard } = await polled([0, 'b', 503, 0, 0, 'c'], { after: 'a' });
  expect(asked).toEqual(['a', 'a', 'b', 'b', 'b', 'b']);
  expect(heard).toEqual(['changes', 'cut', 'cut', 'changes']);
  expect(pauses).toEqual([1_000, 1_000, 2_000, 5_000]);
});

test('a 401 is tried once more before the person is asked about, and then ever more slowly', async () => {
  const { pauses, heard } = await polled([401, 401, 401, 401, 401, 401], { after: 'a' });
  expect(heard).toEqual(['refused', 'refused', 'refused', 'refused', 'refused']);
  expect(pauses).toEqual([1_000, 2_000, 5_000, 15_000, 30_000, 30_000]);
});

test('a missing permission is reported at once, and asked for again', async () => {
  const { asked, heard } = await polled([403, 'b'], { after: 'a' });
  expect(asked).toEqual(['a', 'a']);
  expect(heard).toEqual(['refused', 'changes']);
});

test('a service that says when to come again is asked then, after a minute at the latest', async () => {
  const polledAfter = async (retryAfterSeconds: number) =>
    (await polled([429, 503, 'b'], { after: 'a', retryAfterSeconds })).pauses;
  expect(await polledAfter(12)).toEqual([12_000, 12_000]);
  expect(await polledAfter(86_400)).toEqual([60_000, 60_000]);
  expect(await polledAfter(-5)).toEqual([1_000, 2_000]);
  expect(pauseMs(7, undefined)).toBe(30_000);
  expect([withJitter(1_000, 0), withJitter(1_000, 0.5)]).toEqual([1_000, 1_125]);
});

test('what is refused for now is read again, and what is refused for good is not', () => {
  const failed = (status: number) =>
    new ApiError({ status, code: 'x', message: 'x', details: {}, requestId: undefined });
  const triesOf = (status: number) =>
    [0, 1, 2, 3, 4, 5].filter((failures) => readsAgain(failures, failed(status))).length;
  expect([400, 401, 403, 404, 409].map(triesOf)).toEqual([0, 0, 0, 0, 0]);
  expect([0, 500, 503].map(triesOf)).toEqual([2, 2, 2]);
  expect(triesOf(429)).toBe(5);
  expect([isBusy(failed(429)), isBusy(failed(503)), isBusy(null)]).toEqual([true, false, false]);
});
