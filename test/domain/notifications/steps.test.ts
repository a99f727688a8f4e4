import { expect, test } from '@jest/globals';
import { firstOutOfOrder, secondsAfter } from '../../../src/domain/notifications/steps.ts';

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
