/**
 * A virtual environment for the Python SDK, made once for each list of requirements, in the folder for downloads. Where
 * no Python can make one, its tests are skipped, and the summary says why.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { testCacheDirectory } from './cache.ts';

const run = promisify(execFile);
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const REQUIREMENTS = 'test/sdk/python/requirements.txt';
/** What the package needs, for a test that installs it without a network. */
const WHEELS = ['httpx'];
const INSTALL_MS = 600_000;

/** For this run, unless an earlier one made the same. */
export async function preparePython(): Promise<void> {
  try {
    process.env['TEST_PYTHON'] = await environmentOf(await findPython());
  } catch (error) {
    const [why = ''] = (error as Error).message.trim().split('\n').slice(-1);
    process.env['TEST_PYTHON_MISSING'] = why;
  }
}

/** The folder of the environment, with `bin/python` and `wheels`. Undefined where tests of Python are skipped. */
export function pythonEnvironment(): string | undefined {
  return process.env['TEST_PYTHON'];
}

async function findPython(): Promise<{ readonly python: string; readonly version: string }> {
  const ask =
    'import sys, ensurepip, venv; assert sys.version_info >= (3, 10); print(sys.version, sys.prefix)';
  for (const python of PYTHONS) {
    const found = await run(python, ['-c', ask]).catch(() => undefined);
    if (found) return { python, version: found.stdout };
  }
  throw new Error('there is no Python 3.10 or newer with venv');
}

async function environmentOf(of: Awaited<ReturnType<typeof findPython>>): Promise<string> {
  const requirements = join(packageRoot(), REQUIREMENTS);
  const made = JSON.stringify([of, readFileSync(requirements, 'utf8'), WHEELS]);
  const name = createHash('sha256').update(made).digest('hex').slice(0, 32);
  const path = join(testCacheDirectory(), 'python', name);
  if (existsSync(path)) return path;
  const unfinished = `${path}.${String(process.pid)}`;
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    await run(of.python, ['-m', 'venv', unfinished]);
    const pip = async (...args: readonly string[]) =>
      await run(
        join(unfinished, 'bin/python'),
        ['-m', 'pip', ...args, '--quiet', '--no-input', '--disable-pip-version-check'],
        { timeout: INSTALL_MS },
      );
    await pip('install', '--requirement', requirements);
    const wheels = ['--dest', join(unfinished, 'wheels'), '--constraint', requirements];
    await pip('download', ...wheels, ...WHEELS);
    // Only programs of `bin` know where they were made, and tests start modules.
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(path)) throw error;
  }
  return path;
}
