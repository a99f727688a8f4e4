import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const { isBuilt, replaceBuild } = (await import(
  pathToFileURL(join(packageRoot(), 'bin/build/swap-web-build.js')).href
)) as {
  readonly isBuilt: (folder: string, sources: string) => boolean;
  readonly replaceBuild: (
    made: string,
    into: { readonly folder: string; readonly sources: string },
  ) => void;
};

const directory = mkdtempSync(join(tmpdir(), 'countersign-web-build-'));
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function write(folder: string, files: Readonly<Record<string, string>>): string {
  const root = join(directory, folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const page = (folder: string) => readFileSync(join(folder, 'index.html'), 'utf8');

test('a build replaces the last one, and its folder holds nothing else', () => {
  const folder = join(directory, 'served');
  const first = write('first', { 'index.html': 'a.js', 'assets/a.js': '1', 'sw.js': '1' });
  replaceBuild(first, { folder, sources: 'one' });
  expect([isBuilt(folder, 'one'), isBuilt(folder, 'two')]).toEqual([true, false]);
  const second = write('second', { 'index.html': 'b.js', 'assets/b.js': '2', 'sw.js': '2' });
  replaceBuild(second, { folder, sources: 'two' });
  expect([isBuilt(folder, 'one'), isBuilt(folder, 'two')]).toEqual([false, true]);
  expect([page(folder), readdirSync(join(folder, 'assets'))]).toEqual(['b.js', ['b.js']]);
});

test('a build that cannot be put in place leaves the page of the last one and its files', () => {
  const folder = write('broken', { 'index.html': 'a.js', 'assets/a.js': '1', 'sw.js/taken': '' });
  const made = write('made', { 'index.html': 'b.js', 'assets/b.js': '2', 'sw.js': '2' });
  expect(() => {
    replaceBuild(made, { folder, sources: 'two' });
  }).toThrow();
  expect([page(folder), isBuilt(folder, 'two')]).toEqual(['a.js', false]);
  expect(readFileSync(join(folder, 'assets/a.js'), 'utf8')).toBe('1');
});

test('a folder that misses a file of its build is built again', () => {
  const folder = join(directory, 'incomplete');
  const made = write('whole', { 'index.html': 'a.js', 'assets/a.js': '1' });
  replaceBuild(made, { folder, sources: 'one' });
  rmSync(join(folder, 'assets/a.js'));
  expect(isBuilt(folder, 'one')).toBe(false);
});
