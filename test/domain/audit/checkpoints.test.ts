/** When a chain gets a checkpoint, and how each refers to the one before. */
import { expect, test } from '@jest/globals';
import { EMPTY_CHAIN, type ChainEntry } from '../../../src/domain/audit/chain.ts';
import {
  checkpointHash,
  checkpointsDue,
  linkProblem,
  NO_CHECKPOINTS,
  tailAfter,
  type CheckpointClaim,
} from '../../../src/domain/audit/checkpoints.ts';

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

const claim = (number: number | undefined, previous: Buffer): CheckpointClaim => ({
  organizationId: '0190a1b2-0000-7000-8000-000000000001',
  position: 3,
  hash: EMPTY_CHAIN.hash,
  at: now,
  link: number === undefined ? undefined : { number, previous },
});
const first = claim(1, NO_CHECKPOINTS.hash);
const afterFirst = tailAfter(NO_CHECKPOINTS, first);

test('the next checkpoint has the next number and the hash of the one before', () => {
  expect(linkProblem(NO_CHECKPOINTS, first)).toBeUndefined();
  expect(linkProblem(afterFirst, claim(2, checkpointHash(first)))).toBeUndefined();
});

test.each([
  ['a gap', claim(3, checkpointHash(first)), /number 2 is missing/],
  ['a repeated number', claim(1, checkpointHash(first)), /comes again/],
  ['another checkpoint before', claim(2, NO_CHECKPOINTS.hash), /is not the one/],
])('%s is refused', (_what, next, problem) => {
  expect(linkProblem(afterFirst, next)).toMatch(problem);
});

test('checkpoints without a number stay valid, and the next numbered one covers them', () => {
  const old = claim(undefined, NO_CHECKPOINTS.hash);
  const afterOld = tailAfter(afterFirst, old);
  expect(linkProblem(afterFirst, old)).toBeUndefined();
  expect(linkProblem(afterOld, claim(2, checkpointHash(old)))).toBeUndefined();
  expect(linkProblem(afterOld, claim(2, checkpointHash(first)))).toMatch(/is not the one/);
});
