import { expect, test } from '@jest/globals';
import { timeLeft } from '../../../src/domain/notifications/time-left.ts';

test.each([
  [27 * 60 + 59, '27 min left'],
  [60, '1 min left'],
  [59, 'less than 1 min left'],
  [0, 'less than 1 min left'],
  [-1, 'no time left'],
  [2 * 3_600, '2 h left'],
  [2 * 3_600 + 300, '2 h 5 min left'],
  [26 * 3_600 + 300, '1 d 2 h left'],
  [24 * 3_600 + 300, '1 d left'],
])('%d s are "%s"', (seconds, text) => {
  const now = new Date('2026-11-26T09:00:00.000Z');
  expect(timeLeft(new Date(now.getTime() + seconds * 1_000), now)).toBe(text);
});
