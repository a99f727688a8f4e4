/** A receiver gets more messages at once while it answers quickly, and few when it does not. */
import { expect, test } from '@jest/globals';
import {
  LEAST_IN_FLIGHT,
  openReceiverLimits,
} from '../../../src/services/outbox/receiver-limits.ts';

const QUICK = 10;
const SLOW = 5_000;

test('quick deliveries add places up to the limit, for their receiver only', () => {
  const limits = openReceiverLimits(10);
  for (let count = 0; count < 5; count++) limits.ended('quick', 'delivered', QUICK);
  expect([limits.of('quick'), limits.of('other')]).toEqual([10, LEAST_IN_FLIGHT]);
  expect([...limits.raised()]).toEqual([['quick', 10]]);
});

test.each([
  ['a slow delivery', 'delivered', SLOW],
  ['a failure that may pass', 'retry', QUICK],
] as const)('%s takes the added places away', (_what, outcome, ms) => {
  const limits = openReceiverLimits(10);
  limits.ended('one', 'delivered', QUICK);
  limits.ended('one', outcome, ms);
  expect([limits.of('one'), [...limits.raised()]]).toEqual([LEAST_IN_FLIGHT, []]);
});

test.each(['dropped', 'dead', 'later', undefined] as const)(
  '%s says nothing about the receiver',
  (outcome) => {
    const limits = openReceiverLimits(10);
    limits.ended('one', 'delivered', QUICK);
    limits.ended('one', outcome, SLOW);
    expect(limits.of('one')).toBe(LEAST_IN_FLIGHT + 1);
  },
);
