import { expect, test } from '@jest/globals';
import {
  firstOutOfOrder,
  firstRepeated,
  secondsAfter,
} from '../../../src/domain/notifications/steps.ts';

test('a step comes at once, or up to an hour later', () => {
  expect(['0', '0m', '0s', '90s', '5m', '60m', '1h'].map(secondsAfter)).toEqual([
    ...[0, 0, 0, 90, 300, 3_600, 3_600],
  ]);
  for (const after of ['', '5', '61m', '2h', '-1m', '1.5m', '05m', '0h', '5 m'])
    expect(secondsAfter(after)).toBeUndefined();
});

test('steps may share an instant, but none comes before the one above it', () => {
  const steps = (...afters: string[]) => afters.map((after) => ({ after }));
  expect(firstOutOfOrder(steps('0', '5m', '300s', '10m'))).toBeUndefined();
  expect(firstOutOfOrder(steps('0', '5m', '4m'))).toBe(2);
  expect(firstOutOfOrder([])).toBeUndefined();
});

test('a channel may come twice, but not at the same instant', () => {
  const email = (after: string) => ({ channel: 'email', after }) as const;
  const push = { channel: 'push', after: '5m' } as const;
  expect(firstRepeated([email('0'), email('5m'), push, email('10m')])).toBeUndefined();
  expect(firstRepeated([email('0'), push, email('5m'), email('300s')])).toBe(3);
});
