import { expect, test } from '@jest/globals';
import { minuteLimit } from '../../src/platform/minute-limit.ts';

/** A limit of two calls, and its clock. */
function limitOfTwo() {
  const clock = { at: 1_000 };
  return { clock, call: minuteLimit(2, () => clock.at) };
}

test('a key that has used up its minute waits until it ends, however often it asks', () => {
  const { clock, call } = limitOfTwo();
  expect([call('a'), call('a')]).toEqual([0, 0]);
  expect([call('a'), call('a')]).toEqual([60_000, 60_000]);
  clock.at += 59_999;
  expect(call('a')).toBe(1);
  clock.at += 1;
  expect([call('a'), call('a'), call('a')]).toEqual([0, 0, 60_000]);
});

test('a minute begins with the first call of its key', () => {
  const { clock, call } = limitOfTwo();
  call('a');
  clock.at += 50_000;
  expect([call('b'), call('b'), call('b')]).toEqual([0, 0, 60_000]);
  expect([call('a'), call('a')]).toEqual([0, 10_000]);
});

test('a key that keeps calling is still limited after ten thousand others called', () => {
  const { call } = limitOfTwo();
  for (const key of ['a', 'a', 'idle', 'idle']) call(key);
  for (let other = 0; other < 10_000; other += 1) {
    call(`other-${other}`);
    if (other % 1_000 === 0) expect(call('a')).toBe(60_000);
  }
  expect(call('a')).toBe(60_000);
  // Only so many are kept.
  expect(call('idle')).toBe(0);
});
