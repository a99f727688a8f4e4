/**
 * The sources and the tests as JavaScript in dist/for-tests. Compiling while loading takes a third of the time of each
 * start, because Node then sends the modules of all packages through a hook as well.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';

const FOLDERS = [
  ...['src', 'api', 'workflows', 'activities', 'temporal', 'migrations', 'bin', 'demo'],
  ...['bench', 'test', 'web/src', 'web/build', 'sdk/typescript/src'],
];
const OPTIONS = {
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2022',
    rewriteRelativeImportExtensions: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
} as const;

const root = packageRoot();
/** Under dist/, which every tool ignores, and above which `packageRoot` finds the package. */
export const COMPILED = join(root, 'dist/for-tests');

/** What tests import as `@jest/globals`. */
const JEST_GLOBALS = 'test/support/runner/jest-globals.js';

/** The path of a source in JavaScript. `source`: its path from the root of the package. */
export function compiledPath(source: string): string {
  return join(COMPILED, source.replace(/\.ts$/, '.js'));
}

/**
 * Compiles what has changed since an earlier run, and removes what has no source any more. Returns a digest of all but
 * the tests.
 */
export async function compileSources(): Promise<string> {
  const sources = FOLDERS.flatMap((folder) => sourcesIn(folder));
  const compiler = readFileSync(join(root, 'node_modules/@swc/core/package.json'), 'utf8');
  const marks = await Promise.all(sources.map((source) => compile(source, compiler)));
  const current = new Set(sources.map(compiledPath));
  for (const name of readdirSync(COMPILED, { recursive: true, encoding: 'utf8' })) {
    const path = join(COMPILED, name);
    if (name.endsWith('.js') && !/^(node_modules|programs)/.test(name) && !current.has(path))
      rmSync(path, { force: true });
  }
  provideJestGlobals();
  const others = marks.filter((_mark, index) => sources[index]?.endsWith('.test.ts') === false);
  return createHash('sha256').update(others.join('')).digest('hex');
}

function provideJestGlobals(): void {
  const directory = join(COMPILED, 'node_modules/@jest/globals');
  mkdirSync(directory, { recursive: true });
  const manifest = { name: '@jest/globals', type: 'module', exports: './index.js' };
  keep(join(directory, 'package.json'), JSON.stringify(manifest));
  keep(join(directory, 'index.js'), readFileSync(join(root, JEST_GLOBALS), 'utf8'));
}

/** Atomic, even if another run writes the same file. */
function keep(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** The last line of the output names what it was made of. The first one may be a `#!`. */
async function compile(source: string, compiler: string): Promise<string> {
  const text = readFileSync(join(root, source), 'utf8');
  const options = { filename: join(root, source), ...OPTIONS };
  const made = JSON.stringify([compiler, options, text]);
  const mark = `\n// ${createHash('sha256').update(made).digest('hex')}\n`;
  const path = compiledPath(source);
  if (existsSync(path) && readFileSync(path, 'utf8').endsWith(mark)) return mark;
  // Loaded only for a change, because it takes as long as all the comparisons.
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, options);
  mkdirSync(dirname(path), { recursive: true });
  keep(path, code + mark);
  return mark;
}
