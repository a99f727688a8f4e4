import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { compiledPath } from './compiled-sources.ts';

/** Runs a source file to its end, in a separate process. Global setup has compiled it. */
export async function runSource(file: string, ...args: readonly string[]): Promise<void> {
  await runScript(compiledPath(file), ...args);
}

/** Runs a JavaScript file to its end, in a separate process. */
export async function runScript(file: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [file, ...args], { cwd: packageRoot() });
}
