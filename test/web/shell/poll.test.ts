import { expect, test } from '@jest/globals';
import type { Changes } from '../../../web/src/shell/live/changes.ts';
import { poll, type Message } from '../../../web/src/shell/live/poll.ts';

const changes = (cursor: string): Changes => ({
  changed: [],
  gone: [],
  counts: { notified: 0, decidable: 0, visible: 0 },
  cursor,
});

/** Answers in turn: a cursor, or the status of a failure. The poll ends after the last. */
async function polled(answers: readonly (string | number)[], after?: string) {
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
    statusOf: (error) => Number((error as Error).message),
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
  const { asked, heard } = await polled(['b', 'c'], 'a');
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
  expect(await polled([400, 'b'], 'old')).toMatchObject({
    asked: ['old', undefined],
    heard: ['reset'],
  });
});

test('one failure means nothing, more say that the list may be out of date', async () => {
  const { asked, pauses, heard } = await polled([0, 'b', 503, 0, 0, 'c'], 'a');
  expect(asked).toEqual(['a', 'a', 'b', 'b', 'b', 'b']);
  expect(heard).toEqual(['changes', 'cut', 'cut', 'changes']);
  expect(pauses).toEqual([1_000, 1_000, 2_000, 5_000]);
});

test('a 401 is tried once more before the person is asked about, and then ever more slowly', async () => {
  const { pauses, heard } = await polled([401, 401, 401, 401, 401, 401], 'a');
  expect(heard).toEqual(['refused', 'refused', 'refused', 'refused', 'refused']);
  expect(pauses).toEqual([1_000, 2_000, 5_000, 15_000, 30_000, 30_000]);
});

test('a missing permission is reported at once, and asked for again', async () => {
  const { asked, heard } = await polled([403, 'b'], 'a');
  expect(asked).toEqual(['a', 'a']);
  expect(heard).toEqual(['refused', 'changes']);
});
