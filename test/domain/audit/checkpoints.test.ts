/** When a chain gets a checkpoint. */
import { expect, test } from '@jest/globals';
import { EMPTY_CHAIN, type ChainEntry } from '../../../src/domain/audit/chain.ts';
import { checkpointsDue } from '../../../src/domain/audit/checkpoints.ts';

const now = new Date('2030-01-01T00:10:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const entry = (position: number): ChainEntry => ({
  position,
  hash: EMPTY_CHAIN.hash,
  leaf: EMPTY_CHAIN.hash,
});
const entries = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => entry(first + index));

function due(added: ChainEntry[], last: { position: number; at: Date | undefined }) {
  const head = entry((added[0]?.position ?? last.position + 1) - 1);
  const result = checkpointsDue(added, { head, last, now });
  return { at: result.due.map(({ position }) => position), dueAt: result.dueAt };
}

test('the first entries get one at once', () => {
  expect(due(entries(1, 3), { position: 0, at: undefined })).toEqual({ at: [3], dueAt: undefined });
});

test('later ones get one a minute after the one before', () => {
  expect(due(entries(4, 5), { position: 3, at: ago(59_999) })).toEqual({
    at: [],
    dueAt: new Date(now.getTime() + 1),
  });
  expect(due(entries(4, 5), { position: 3, at: ago(60_000) })).toEqual({
    at: [5],
    dueAt: undefined,
  });
});

test('a chain without new entries gets the one that it waits for, and no further one', () => {
  const last = { position: 3, at: ago(60_000) };
  expect(checkpointsDue([], { head: entry(5), last, now }).due).toEqual([entry(5)]);
  expect(checkpointsDue([], { head: entry(3), last, now })).toEqual({ due: [], dueAt: undefined });
});

test('every 10,000 entries get one, however soon, and the rest waits its minute', () => {
  expect(due(entries(4, 25_000), { position: 3, at: ago(1_000) })).toEqual({
    at: [10_003, 20_003],
    dueAt: new Date(now.getTime() + 60_000),
  });
});
