import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { slugOf } from '../../src/services/bootstrap.ts';

describe('the slug of an organization', () => {
  test.each([
    ['Example Works', 'example-works'],
    ['  Ünïted Ägents, Inc.  ', 'united-agents-inc'],
    ['株式会社', 'organization'],
    ['---', 'organization'],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('%j becomes %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test('is a valid slug whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        expect(slugOf(name)).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
      }),
    );
  });
});
