import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

interface Promised {
  readonly promise: string;
  readonly path: string;
  readonly title: string;
}

const ROW = /^\| (?<promise>[^|]+?) +\| `(?<path>test\/[^`]+)`: (?<title>[^|]+?) +\|$/gm;
const promised = [...read('docs/concepts.md').matchAll(ROW)].map(
  ({ groups }) => groups as unknown as Promised,
);

describe('what docs/concepts.md promises', () => {
  test('is a list whose rows are all read here', () => {
    const [, promises = ''] = read('docs/concepts.md').split('## What is promised\n');
    const rows = promises
      .replace(/^## [^]*/m, '')
      .split('\n')
      .filter((line) => /^\| (?!promise|-)/.test(line));
    expect(promised).toHaveLength(rows.length);
    expect(promised.length).toBeGreaterThan(15);
  });

  test.each(promised)('$promise Its quick test exists: $path', ({ path, title }) => {
    expect(path).toMatch(/^[^.]+\.test\.ts$/);
    expect(existsSync(join(packageRoot(), path))).toBe(true);
    const titles = [
      ...read(path).matchAll(
        /^ *(?:await )?(?:test|describe)(?:\.each[^'"`]*?\))?\(\s*(['"`])(.*?)\1/gms,
      ),
    ];
    expect(titles.map(([, , text]) => text).join('\n')).toContain(title);
  });
});
