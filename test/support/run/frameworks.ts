/**
 * The agent frameworks of the adapters of the TypeScript SDK, installed once for each lock file, in the folder for downloads. Where npm
 * cannot install them, their tests are skipped, and the summary says which and why.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { testCacheDirectory } from './cache.ts';

const FOLDER = 'test/sdk/frameworks';
const SDK = 'sdk/typescript';
const LOCK = 'package-lock.json';
/** Some frameworks declare a newer Node than the oldest that we test with, and run on it. npm only warns of that. */
const NPM_CI = 'ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error';
const INSTALL_MS = 600_000;

/** For this run, unless an earlier one installed the same. */
export async function prepareFrameworks(): Promise<void> {
  try {
    const packages = join(await installed(), 'node_modules');
    // The compiler looks next to the sources, and tests look next to their compiled files.
    for (const root of [packageRoot(), join(packageRoot(), 'dist/tests')]) {
      link(join(root, FOLDER, 'node_modules'), packages);
      // As the project of a user has them next to the SDK.
      for (const peer of Object.keys(manifestIn(SDK).peerDependencies ?? {}))
        link(join(root, SDK, 'node_modules', peer), join(packages, peer));
    }
    process.env['TEST_FRAMEWORKS'] = packages;
  } catch (error) {
    const names = Object.entries(manifestIn(FOLDER).dependencies ?? {}).map(([name, version]) =>
      version.startsWith('npm:') ? version.slice(4) : `${name} ${version}`,
    );
    process.env['TEST_FRAMEWORKS_MISSING'] = `${names.join(', ')}: ${firstLine(error)}`;
  }
}

/** The folder of their packages. Undefined where their tests are skipped. */
export function frameworkPackages(): string | undefined {
  return process.env['TEST_FRAMEWORKS'];
}

/** Packages with binaries differ by system. */
async function installed(): Promise<string> {
  const made = JSON.stringify([
    readFileSync(join(packageRoot(), FOLDER, LOCK), 'utf8'),
    process.platform,
    process.arch,
  ]);
  const name = createHash('sha256').update(made).digest('hex').slice(0, 32);
  const path = join(testCacheDirectory(), 'frameworks', name);
  if (existsSync(path)) return path;
  const unfinished = `${path}.${String(process.pid)}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    for (const file of ['package.json', LOCK])
      copyFileSync(join(packageRoot(), FOLDER, file), join(unfinished, file));
    await promisify(execFile)('npm', NPM_CI.split(' '), { cwd: unfinished, timeout: INSTALL_MS });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(path)) throw error;
  }
  return path;
}

function link(from: string, to: string): void {
  const there = lstatSync(from, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() && readlinkSync(from) === to) return;
  rmSync(from, { recursive: true, force: true });
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(to, from);
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(packageRoot(), folder, 'package.json'), 'utf8')) as Manifest;
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const [line = ''] = (stderr?.trim() || message).split('\n');
  return line;
}
