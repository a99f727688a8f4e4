/** Pages of a simulation as one. */
import { expect, test } from '@jest/globals';
import { countOf } from '../../../web/src/areas/rules/outcomes/impact.ts';
import { groupsOf, sumOf } from '../../../web/src/areas/rules/outcomes/simulation-sum.ts';

type Page = Parameters<typeof sumOf>[0][number];
type Change = Page['changes'][number];

const change = (id: string, would_be: Change['would_be'], value?: number): Change => ({
  ...{
    id,
    created_at: '2026-03-01T00:00:00Z',
    tool: 'refund',
    was: 'human',
    would_be,
    excerpt: '',
  },
  ...(value !== undefined && { amount: { value } }),
});
const page = (given: Partial<Page>): Page => ({
  ...{ evaluated: 1000, same: 700, changed: 300, undetermined: 0, changes: [], by_change: [] },
  ...{ by_outcome: { approve: 300, deny: 0, human: 700 }, undetermined_at: [] },
  ...given,
});

test('all changes count, not only those that are listed, and what would be approved comes first', () => {
  const sum = sumOf([
    page({
      by_change: [
        { was: 'human', would_be: 'deny', count: 200 },
        { was: 'human', would_be: 'approve', count: 100 },
      ],
      changes: [change('small', 'approve', 10), change('no', 'deny', 5000)],
      undetermined_at: [{ scope: 'agent', block_id: 'fraud', count: 2 }],
      ends_at: '2026-03-02T00:00:00Z',
    }),
    page({
      by_change: [{ was: 'human', would_be: 'approve', count: 30 }],
      changes: [change('large', 'approve', 900)],
      undetermined_at: [{ scope: 'agent', block_id: 'fraud', count: 3 }],
    }),
  ]);
  expect(countOf(sum, 'approve')).toBe(130);
  expect(sum).toMatchObject({
    evaluated: 2000,
    undetermined_at: [{ block_id: 'fraud', count: 5 }],
  });
  expect(sum).not.toHaveProperty('ends_at');
  expect(
    groupsOf(sum).map(({ would_be: verdict, count, changes }) => [
      ...[verdict, count],
      changes.map(({ id }) => id),
    ]),
  ).toEqual([
    ['approve', 130, ['large', 'small']],
    ['deny', 200, ['no']],
  ]);
});
