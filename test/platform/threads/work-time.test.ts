import { expect, test } from '@jest/globals';
import {
  CALLER_BUDGET_MS,
  ORGANIZATION_BUDGET_MS,
  WorkTime,
} from '../../../src/platform/threads/work-time.ts';

function clocked() {
  const clock = { now: 0 };
  return { clock, time: new WorkTime(() => clock.now) };
}

test('a caller waits once their minute of threads is used up, until some of it has drained', () => {
  const { clock, time } = clocked();
  expect(time.secondsToWait('ada', 'acme')).toBeUndefined();
  time.spend('ada', CALLER_BUDGET_MS);
  expect(time.secondsToWait('ada', 'acme')).toBeUndefined();
  time.spend('ada', CALLER_BUDGET_MS / 60);
  expect(time.secondsToWait('ada', 'acme')).toBe(1);
  time.spend('ada', CALLER_BUDGET_MS / 6);
  expect(time.secondsToWait('ada', 'acme')).toBe(11);
  expect(time.secondsToWait('bob', 'acme')).toBeUndefined();
  clock.now += 11_000;
  expect(time.secondsToWait('ada', 'acme')).toBeUndefined();
  clock.now += 3_600_000;
  time.spend('ada', CALLER_BUDGET_MS);
  expect(time.secondsToWait('ada', 'acme')).toBeUndefined();
});

test('the callers of an organization share its minute, and no one else waits for it', () => {
  const { clock, time } = clocked();
  const callers = ['ada', 'bob', 'cyd', 'dan'];
  for (const caller of callers) {
    time.secondsToWait(caller, 'acme');
    time.spend(caller, ORGANIZATION_BUDGET_MS / 4 + 1_000);
  }
  for (const caller of [...callers, 'eve']) expect(time.secondsToWait(caller, 'acme')).toBe(4);
  expect(time.secondsToWait('zoe', 'other')).toBeUndefined();
  clock.now += 4_000;
  expect(time.secondsToWait('eve', 'acme')).toBeUndefined();
});
