/** Programs of the Python SDK's environment, which global setup made. Without one, their tests are skipped. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/platform/package-root.ts';
import { pythonEnvironment } from './run/python.ts';

const run = promisify(execFile);
const root = join(packageRoot(), 'sdk/python');

/** With the SDK of this repository, and nothing of the environment of the tests but the path. */
export const pythonEnv = () => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PYTHONPATH: join(root, 'src'),
});

export function pythonExecutable(): string {
  return join(pythonEnvironment() ?? '', 'bin/python');
}

interface Executed {
  readonly code: number;
  readonly output: string;
}

/** Runs Python to its end, in the folder of the SDK. */
export async function runPython(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = root,
): Promise<Executed> {
  return await execute(pythonExecutable(), args, { ...pythonEnv(), ...env }, cwd);
}

/** Runs a program to its end. */
export async function execute(
  program: string,
  args: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = { PATH: process.env['PATH'] },
  cwd = root,
): Promise<Executed> {
  return await run(program, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}
