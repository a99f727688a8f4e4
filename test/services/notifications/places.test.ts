/** A receiver gets more messages at once while it answers quickly, and few when it does not. */
import { expect, test } from '@jest/globals';
import { FEWEST_PLACES, openPlaces } from '../../../src/services/notifications/places.ts';

const QUICK = 10;
const SLOW = 5_000;

test('quick deliveries add places up to the limit, for their receiver only', () => {
  const places = openPlaces(10);
  for (let count = 0; count < 5; count++) places.ended('quick', 'delivered', QUICK);
  expect([places.of('quick'), places.of('other')]).toEqual([10, FEWEST_PLACES]);
  expect([...places.raised()]).toEqual([['quick', 10]]);
});

test.each([
  ['a slow delivery', 'delivered', SLOW],
  ['a failure that may pass', 'retry', QUICK],
] as const)('%s takes the added places away', (_what, outcome, ms) => {
  const places = openPlaces(10);
  places.ended('one', 'delivered', QUICK);
  places.ended('one', outcome, ms);
  expect([places.of('one'), [...places.raised()]]).toEqual([FEWEST_PLACES, []]);
});

test.each(['dropped', 'dead', 'later', undefined] as const)(
  '%s says nothing about the receiver',
  (outcome) => {
    const places = openPlaces(10);
    places.ended('one', 'delivered', QUICK);
    places.ended('one', outcome, SLOW);
    expect(places.of('one')).toBe(FEWEST_PLACES + 1);
  },
);
