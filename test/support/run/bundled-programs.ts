/**
 * The programs that tests start, each bundled with its packages. As modules, one of them loads 2,000 files, which took
 * 1.6 s of a core at each start.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { COMPILED } from './compiled-sources.ts';
import { runSource } from './run-source.ts';

export const PROGRAMS = [
  'bin/countersign.ts',
  'bin/heavy-work.ts',
  'demo/main.ts',
  'test/bin/start-process.ts',
  'test/support/processes/egress-process.ts',
  'test/support/processes/sender-process.ts',
  'test/support/processes/service-process.ts',
] as const;
export type Program = (typeof PROGRAMS)[number];

const DIRECTORY = join(COMPILED, 'programs');

/** Bundles them for this run, unless an earlier run had the same sources and packages. `sources`: their digest. */
export async function bundlePrograms(sources: string): Promise<void> {
  const hash = createHash('sha256').update(sources);
  hash.update(readFileSync(join(packageRoot(), 'package-lock.json')));
  const path = join(DIRECTORY, hash.digest('hex'));
  if (!existsSync(path)) {
    const unfinished = `${path}.${process.pid}`;
    await runSource('test/support/run/bundle-programs.ts', unfinished);
    for (const name of readdirSync(DIRECTORY)) {
      const other = join(DIRECTORY, name);
      if (other !== unfinished) rmSync(other, { recursive: true, force: true });
    }
    renameSync(unfinished, path);
  }
  process.env['TEST_PROGRAMS'] = path;
}

/** Where global setup put a program of this run. */
export function programPath(program: Program): string {
  const directory = process.env['TEST_PROGRAMS'];
  if (directory === undefined) throw new Error('the global setup has not bundled the programs');
  return join(directory, programFile(program));
}

export function programFile(program: Program): string {
  return `${program.replaceAll('/', '-').replace(/\.ts$/, '')}.js`;
}
