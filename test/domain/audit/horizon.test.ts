/** How far the sealers need not look again. */
import { expect, test } from '@jest/globals';
import { nextHorizon, type Horizon, type Look } from '../../../src/domain/audit/horizon.ts';

const start = new Date('2030-01-01T00:00:00.000Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const nothing: Horizon = { sealedTo: 0, settledTo: 0, pending: undefined };
const look = (seen: Partial<Look>): Look => ({
  now: start,
  greatest: 0,
  firstUnsealed: undefined,
  xmax: '100',
  hasEnded: false,
  isRestored: false,
  ...seen,
});
const pending = { to: 10, at: start, xmax: undefined };

test('nothing is recorded where nothing was written', () => {
  expect(nextHorizon(nothing, look({}))).toBeUndefined();
  const settled = { sealedTo: 10, settledTo: 10, pending: undefined };
  expect(nextHorizon(settled, look({ greatest: 10 }))).toBeUndefined();
});

test('a sequence is settled once every transaction that began up to five seconds later has ended', () => {
  const seen = nextHorizon(nothing, look({ greatest: 10 }));
  expect(seen).toEqual({ ...nothing, pending });
  const waiting = { ...nothing, pending };
  expect(nextHorizon(waiting, look({ now: after(4_999), greatest: 20 }))).toBeUndefined();
  const noted = nextHorizon(waiting, look({ now: after(5_000), greatest: 20, xmax: '120' }));
  expect(noted).toEqual({ ...nothing, pending: { ...pending, xmax: '120' } });
  const open = { ...nothing, pending: { ...pending, xmax: '120' } };
  expect(nextHorizon(open, look({ now: after(99_000), greatest: 20 }))).toBeUndefined();
  expect(nextHorizon(open, look({ hasEnded: true, greatest: 20 }))).toEqual({
    sealedTo: 0,
    settledTo: 10,
    pending: undefined,
  });
});

test('everything below the first unsealed event is sealed, as far as it is settled', () => {
  const settled = { sealedTo: 2, settledTo: 10, pending };
  const sealedTo = (firstUnsealed: number | undefined) =>
    nextHorizon(settled, look({ firstUnsealed }))?.sealedTo;
  expect(sealedTo(undefined)).toBe(10);
  expect(sealedTo(7)).toBe(6);
  expect(sealedTo(15)).toBe(10);
});

test('what is sealed stays so when an event turns up below it', () => {
  const settled = { sealedTo: 10, settledTo: 10, pending };
  expect(nextHorizon(settled, look({ firstUnsealed: 3 }))).toBeUndefined();
});

test('a database that was restored into another server waits again from then on', () => {
  const restored = { ...nothing, pending: { ...pending, xmax: '9000' } };
  expect(nextHorizon(restored, look({ isRestored: true, greatest: 12, now: after(1) }))).toEqual({
    ...nothing,
    pending: { to: 12, at: after(1), xmax: undefined },
  });
});
