/** Rings wake a waiting loop, and none is lost. */
import { expect, test } from '@jest/globals';
import { Bell } from '../../src/platform/bell.ts';

test('a ring ends a wait, and rings before a wait end it at once, together', async () => {
  const bell = new Bell();
  const waiting = bell.wait();
  bell.ring();
  expect(await waiting).toBe(true);
  bell.ring();
  bell.ring();
  expect(await bell.wait()).toBe(true);
  expect(await bell.wait(1)).toBe(false);
});
