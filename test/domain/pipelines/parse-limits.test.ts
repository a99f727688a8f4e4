/** How many blocks, levels and conditions a pipeline document may have. */
import { describe, expect, test } from '@jest/globals';
import { always, branch, cel, issuesOf } from './documents.ts';

/** Branches in branches; the innermost block is at this level. */
const nested = (levels: number): object =>
  levels === 1 ? always : branch(`level-${levels}`, [nested(levels - 1)]);

describe('the limits of parsePipelineDocument', () => {
  test('accepts 1,000 blocks and refuses 1,001', () => {
    const blocks = (count: number): unknown => ({
      blocks: Array.from({ length: count }, (_none, index) => ({ ...always, id: `b${index}` })),
    });
    expect(issuesOf(blocks(1_000))).toEqual([]);
    expect(issuesOf(blocks(1_001))).toEqual(['/blocks too_many']);
  });

  test('counts the blocks of branches', () => {
    const blocks = (count: number, prefix: string) =>
      Array.from({ length: count }, (_none, index) => ({ ...always, id: `${prefix}${index}` }));
    const both = (inner: number) => ({
      blocks: [...blocks(499, 'a'), branch('b', blocks(inner, 'c'))],
    });
    expect(issuesOf(both(500))).toEqual([]);
    expect(issuesOf(both(501))).toEqual(['/blocks/499/config/blocks too_many']);
    expect(issuesOf({ blocks: [branch('b', blocks(1_001, 'c'))] })).toEqual([
      '/blocks/0/config/blocks too_many',
    ]);
  });

  test('accepts blocks of 32 levels with conditions of 32 levels, and refuses the 33rd level', () => {
    expect(issuesOf({ blocks: [nested(32)] })).toEqual([]);
    const inner = '/config/blocks/0'.repeat(31);
    expect(issuesOf({ blocks: [nested(33)] })).toEqual([
      `/blocks/0${inner}/config/blocks too_deep`,
    ]);
    const leaf = { id: 'leaf', field: '/request/tool', operator: 'exists' };
    const deep = Array.from({ length: 31 }, (_none, index) => `all-${index}`).reduce<object>(
      (part, id) => ({ id, all: [part] }),
      leaf,
    );
    const within = Array.from({ length: 31 }, (_none, index) => `b-${index}`).reduce<object>(
      (part, id) => branch(id, [part]),
      { ...cel, config: { ...cel.config, when: deep } },
    );
    expect(issuesOf({ blocks: [within] })).toEqual([]);
  });

  test('counts the leaves of all blocks together', () => {
    const block = (index: number): unknown => ({
      ...cel,
      id: `b${index}`,
      config: {
        ...cel.config,
        when: {
          id: `a${index}`,
          any: Array.from({ length: 500 }, (_none, leaf) => ({
            id: `l${index}-${leaf}`,
            field: '/request/tool',
            operator: 'exists',
          })),
        },
      },
    });
    expect(
      issuesOf({ blocks: Array.from({ length: 20 }, (_none, index) => block(index)) }),
    ).toEqual([]);
    expect(
      issuesOf({ blocks: Array.from({ length: 21 }, (_none, index) => block(index)) }),
    ).toEqual(['/blocks/20/config/when/any/0 too_many']);
  });
});
