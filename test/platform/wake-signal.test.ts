/** A signal wakes a waiting loop, and no wake-up is lost. */
import { expect, test } from '@jest/globals';
import { WakeSignal } from '../../src/platform/wake-signal.ts';

test('a wake-up ends a wait, and those before a wait end it at once, together', async () => {
  const changed = new WakeSignal();
  const waiting = changed.wait();
  changed.wake();
  expect(await waiting).toBe(true);
  changed.wake();
  changed.wake();
  expect(await changed.wait()).toBe(true);
  expect(await changed.wait(1)).toBe(false);
});
