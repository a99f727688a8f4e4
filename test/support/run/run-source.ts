import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';

/** Runs a source file to its end, in a separate process. */
export async function runSource(file: string, ...args: readonly string[]): Promise<void> {
  const root = packageRoot();
  const typescript = ['--import', join(root, 'test/support/run/typescript.js')];
  await promisify(execFile)(process.execPath, [...typescript, join(root, file), ...args], {
    cwd: root,
  });
}
