import { expect, test } from '@jest/globals';
import { byWeight, countChanges } from '../../../src/domain/pipelines/simulated-changes.ts';

type Change = Parameters<typeof byWeight>[0];

test('what would newly be approved comes first, the largest amounts before others, digit for digit', () => {
  const approved = (value?: string): Change => ({
    would_be: 'approve',
    ...(value !== undefined && { amount: { value } }),
  });
  const denied: Change = { would_be: 'deny', amount: { value: '99999' } };
  const asked: Change = { would_be: 'human' };
  const changes = [
    denied,
    approved(),
    approved('9007199254740992'),
    asked,
    approved('90.50'),
    approved('9007199254740993'),
    approved('1e2'),
  ];
  expect(changes.toSorted(byWeight)).toEqual([
    approved('9007199254740993'),
    approved('9007199254740992'),
    approved('1e2'),
    approved('90.50'),
    approved(),
    denied,
    asked,
  ]);
});

test('changes are counted by what becomes of what', () => {
  expect(
    countChanges([
      { was: 'human', would_be: 'approve' },
      { was: 'deny', would_be: 'approve' },
      { was: 'human', would_be: 'approve' },
    ]),
  ).toEqual([
    { was: 'human', would_be: 'approve', count: 2 },
    { was: 'deny', would_be: 'approve', count: 1 },
  ]);
});
