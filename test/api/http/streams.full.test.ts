/** Text that is read while it is sent. */
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { streamed } from '../../../api/http/responses.ts';
import { Overloaded } from '../../../src/platform/bulkhead.ts';
import { until } from '../../support/waiting.ts';

/** What was read so far, and whether the reading has ended. */
function reading(chunks: readonly (string | Error)[]) {
  const state = { read: 0, ended: false };
  const source = (async function* () {
    try {
      for (const chunk of chunks) {
        await Promise.resolve();
        if (chunk instanceof Error) throw chunk;
        state.read += 1;
        yield chunk;
      }
    } finally {
      state.ended = true;
    }
  })();
  return { state, source };
}

const LONG = Array.from({ length: 1_000 }, () => 'x'.repeat(64 * 1024));

test('all of it comes, and nothing comes of nothing', async () => {
  expect(await text(await streamed(reading(['a', 'b', 'c']).source, 'all'))).toBe('abc');
  expect(await text(await streamed(reading([]).source, 'nothing'))).toBe('');
});

test('what cannot be read at the beginning is refused, and later ends the text', async () => {
  const away = new Error('the database is away');
  await expect(streamed(reading([away]).source, 'away')).rejects.toThrow(away);
  await expect(text(await streamed(reading(['a', away]).source, 'away'))).rejects.toThrow(away);
});

test('it is read no faster than it is sent, and no more of it once the client hangs up', async () => {
  const { state, source } = reading(LONG);
  const response = await streamed(source, 'slow');
  response.read(1);
  await until('the beginning to be there', () => response.readableLength > 0);
  response.destroy();
  await until('the reading to end', () => state.ended);
  expect(state.read).toBeLessThan(10);
});

test('a caller has sixteen at once at most, and further ones once some have ended', async () => {
  const open = () => streamed(reading(LONG).source, 'many');
  const all = await Promise.all(Array.from({ length: 16 }, open));
  await expect(open()).rejects.toThrow(Overloaded);
  await expect(streamed(reading(['a']).source, 'another')).resolves.toBeDefined();
  const [first] = all;
  first?.destroy();
  await until('there is room again', () => first?.closed === true);
  all.push(await open());
  for (const each of all) each.destroy();
});
