/**
 * Builds the standard Temporal server and UI from the pinned temporal/server/go.mod, once, for machines
 * without the CLI.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { lock } from '../lock-file.ts';
import { packageRoot } from '../../platform/package-root.ts';

const MODULE = join('temporal', 'server');
const PACKAGES = {
  'temporal-server': 'go.temporal.io/server/cmd/server',
  'temporal-ui': 'github.com/temporalio/ui-server/v2/cmd/server',
} as const;
const PROGRESS_EVERY_MS = 10_000;

export interface BuildOptions {
  readonly cacheDirectory: string;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** The folder for the binaries of this go.mod and go.sum. */
export function buildFolder(cacheDirectory: string): string {
  const hash = createHash('sha256');
  for (const name of ['go.mod', 'go.sum'])
    hash.update(readFileSync(join(packageRoot(), MODULE, name)));
  return join(
    cacheDirectory,
    `temporal-${hash.digest('hex').slice(0, 16)}-${process.platform}-${process.arch}`,
  );
}

/**
 * The folder with the binaries, which are built when missing. One process builds, and the others
 * wait for it.
 */
export async function builtServer(options: BuildOptions): Promise<string> {
  const folder = buildFolder(options.cacheDirectory);
  if (existsSync(folder)) return folder;
  const held = await lock(join(options.cacheDirectory, 'temporal-build.lock'), (holder) => {
    options.onProgress(`Waiting for process ${holder.pid}, which is building the Temporal server.`);
  });
  try {
    if (existsSync(folder)) return folder;
    await requireGo();
    for (const name of readdirSync(options.cacheDirectory)) {
      // Remains of a killed build: no other build runs while we hold the lock.
      if (name.includes('.making-'))
        rmSync(join(options.cacheDirectory, name), { recursive: true, force: true });
    }
    const making = `${folder}.making-${process.pid}`;
    mkdirSync(making, { recursive: true });
    try {
      await buildAll(making, options);
      renameSync(making, folder);
    } finally {
      rmSync(making, { recursive: true, force: true });
    }
    return folder;
  } finally {
    held.release();
  }
}

async function buildAll(making: string, options: BuildOptions): Promise<void> {
  options.onProgress(
    'Building the Temporal server from its Go sources. This happens once, takes a few minutes and some 6 GB of Go caches; a `temporal` CLI (1.9 or later) on the PATH avoids it.',
  );
  const started = performance.now();
  for (const [name, path] of Object.entries(PACKAGES))
    await goBuild(join(making, name), path, options);
  options.onProgress(`The Temporal server is built, in ${elapsed(started)}.`);
}

function requireGo(): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('go', ['version'], (error) => {
      if (!error) {
        resolve();
        return;
      }
      reject(
        new Error(
          'There is no Temporal server to start: no `temporal` CLI (1.9 or later) on the PATH, none could be downloaded, and there is no Go toolchain to build one. Install one of the two, or set TEMPORAL_ADDRESS.',
        ),
      );
    });
  });
}

async function goBuild(output: string, path: string, options: BuildOptions): Promise<void> {
  const name = basename(output);
  // -v prints each package as it is compiled: the only progress Go reports.
  const args = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    '-mod=readonly',
    '-ldflags=-s -w',
    '-o',
    output,
    path,
  ];
  const child = spawn('go', args, {
    cwd: join(packageRoot(), MODULE),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const started = performance.now();
  const counts = { downloaded: 0, compiled: 0 };
  const lastLines: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (line.startsWith('go: downloading')) counts.downloaded += 1;
    else counts.compiled += 1;
    lastLines.push(line);
    if (lastLines.length > 20) lastLines.shift();
  });
  const progress = setInterval(() => {
    options.onProgress(
      `  ${name}: ${counts.downloaded} modules fetched, ${counts.compiled} packages compiled, ${elapsed(started)} so far.`,
    );
  }, PROGRESS_EVERY_MS);
  const abort = (): void => {
    // The compilers are children of `go`, so the whole group must end.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
      if (options.signal?.aborted === true) abort();
    });
    if (code !== 0) throw new Error(`Building ${name} failed:\n${lastLines.join('\n')}`);
  } finally {
    clearInterval(progress);
    options.signal?.removeEventListener('abort', abort);
  }
}

function elapsed(since: number): string {
  const seconds = Math.round((performance.now() - since) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
