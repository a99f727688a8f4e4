/** The work of compiling a pattern is known from its text, so that none compiles unexpectedly long. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classWork, compilePattern, compileWork } from '../../../src/domain/conditions/patterns.ts';

const atom = fc.constantFrom(
  ...['a', '.', 'é', '[a-z]', '[^)(x]', '[(]', '[)]', '\\(', '\\)', '\\d', '\\pL', '\\Qab)\\E'],
  ...['^', '(?i)', '\\b', '[[:alpha:]]', '|', '\\Q\\E', '\\x{e9}', '()', '\\{', '[é-ü]', '{'],
);
const count = fc.integer({ min: 0, max: 60 });
const repeat = fc.oneof(
  fc.constantFrom('', '', '', '?', '*', '+?'),
  count.map((least) => `{${least}}`),
  count.map((least) => `{${least},}?`),
  fc.tuple(count, count).map(([least, more]) => `{${least},${least + more}}`),
);
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(atom, repeat).map((both) => both.join('')),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('pattern'), repeat)
      .map(([open, inside, times]) => `${open}${inside})${times}`),
  ),
}));

test('no pattern compiles to more instructions than its text announced', () => {
  let compiled = 0;
  fc.assert(
    fc.property(pattern, (text) => {
      let size: number;
      try {
        size = compilePattern(text).programSize();
      } catch {
        return;
      }
      compiled += 1;
      expect(compileWork(text)).toBeGreaterThanOrEqual(size);
    }),
    { numRuns: 500 },
  );
  expect(compiled).toBeGreaterThan(200);
});

test.each([
  ['of a word', '(?i)^prod-', 30],
  ['of a UUID', '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 250],
  ['of a French word', '(?i)^[a-zà-ÿ]+$', 50],
  ['of a Chinese word', '(?i)[一-龥]{1,20}', 600],
])('common patterns are little work: %s', (_what, text, most) => {
  expect(compileWork(text)).toBeLessThan(most);
});

test.each([
  ['a range over most of Unicode', '(?i)[B-\u{1e943}]', 1_900],
  ['by number', String.raw`(?i)[B-\x{10ffff}]`, 1_900],
  ['within a group', '(?si:[^!-\u{ffff}])', 1_000],
  ['a Unicode class', String.raw`\PL`, 25],
  ['a range that keeps the case', '[B-\u{1e943}]', 0],
])('character classes are work that the program does not show: %s', (_what, text, least) => {
  expect(classWork(text)).toBeGreaterThanOrEqual(least);
  expect(classWork(text)).toBeLessThan(least * 1.1 + 1);
});
