/** What the look of the app rests on: its colors keep their contrast, and its texts have four sizes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/platform/package-root.ts';

const read = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8');
const TOKENS = read('web/src/shared/design/tokens.css');

const SCHEMES = ['light', 'dark'] as const;

const colorsOf = (scheme: (typeof SCHEMES)[number]): ReadonlyMap<string, string> =>
  new Map(
    [...TOKENS.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g)].map(
      ([, name = '', ...colors]) => [name, colors[SCHEMES.indexOf(scheme)] ?? ''],
    ),
  );

/** As WCAG defines them. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(SCHEMES)('in the %s scheme', (scheme) => {
  const colors = colorsOf(scheme);
  const ratio = (one: string, other: string): number =>
    contrast(colors.get(one) ?? '', colors.get(other) ?? '');

  test.each([
    ['line-strong', 'paper', 3],
    ['line-strong', 'sheet', 3],
    ['disabled-ink', 'disabled', 3],
    ['ink', 'selection', 7],
    ['ink-soft', 'paper', 4.5],
    ['ink-soft', 'sunken', 4.5],
    ['accent-text', 'accent-wash', 4.5],
    ['warn', 'warn-wash', 4.5],
    ['danger', 'danger-wash', 4.5],
  ])('%s on %s has a contrast of at least %d', (one, other, least) => {
    expect(ratio(one, other)).toBeGreaterThanOrEqual(least);
  });
});

test('texts have the four sizes of the tokens, or a part of the text around them', () => {
  expect(TOKENS.match(/--text-\w+: /g)).toHaveLength(4);
  const sizes = readdirSync(join(packageRoot(), 'web/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.css'))
    .map((file) => `web/src/${file}`)
    .filter((file) => !file.endsWith('tokens.css'))
    .flatMap((file) =>
      [...read(file).matchAll(/font-size: ([^;]+);/g)].map(([, size]) => `${file}: ${size ?? ''}`),
    );
  expect(sizes.length).toBeGreaterThan(100);
  // Browsers on phones zoom into fields with smaller text.
  const odd = /: (?!var\(--text-(?:small|body|large|title)\)|[\d.]+em$|max\(1rem, 16px\))/;
  expect(sizes.filter((size) => odd.test(size))).toEqual([]);
});

test('the API reference has colors of the app alone', () => {
  const used = read('api/pages/reference.ts').match(/#[\da-f]{6}\b/g) ?? [];
  expect(used.filter((color) => !TOKENS.includes(color))).toEqual([]);
});
