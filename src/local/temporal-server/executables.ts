/**
 * Which Temporal server this machine can run: a `temporal` CLI on the PATH, a downloaded one, or
 * one built from source.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lock } from '../lock-file.ts';
import { buildFolder, builtServer, type BuildOptions } from './build.ts';

export type TemporalExecutables =
  | { readonly kind: 'cli'; readonly path: string }
  | { readonly kind: 'binaries'; readonly server: string; readonly ui: string };

/** The first CLI whose server has the generation that we run on (1.32). */
const CLI_MINIMUM = [1, 9] as const;
const CLI_DOWNLOAD = 'v1.9.0';
const run = promisify(execFile);

/** Finds, downloads or builds a server. Later calls find it at once. */
export async function temporalExecutables(options: BuildOptions): Promise<TemporalExecutables> {
  const onPath = await cliOnPath();
  if (onPath !== undefined) return { kind: 'cli', path: onPath };
  const folder = buildFolder(options.cacheDirectory);
  const downloaded = existsSync(folder) ? undefined : await downloadedCli(options);
  if (downloaded !== undefined) return { kind: 'cli', path: downloaded };
  const built = await builtServer(options);
  return {
    kind: 'binaries',
    server: join(built, 'temporal-server'),
    ui: join(built, 'temporal-ui'),
  };
}

/** Whether this output of `temporal --version` is recent enough. */
export function isRecentCli(versionOutput: string): boolean {
  const match = /^temporal version v?(\d+)\.(\d+)\./.exec(versionOutput);
  if (!match) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > CLI_MINIMUM[0] || (major === CLI_MINIMUM[0] && minor >= CLI_MINIMUM[1]);
}

async function cliOnPath(): Promise<string | undefined> {
  try {
    const { stdout } = await run('sh', ['-c', 'command -v temporal']);
    return await recent(stdout.trim());
  } catch {
    return undefined;
  }
}

async function recent(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    return isRecentCli(stdout) ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The SDK downloads the CLI by starting it once. Afterwards the file in our cache is an ordinary
 * executable.
 */
async function downloadedCli(options: BuildOptions): Promise<string | undefined> {
  const folder = join(options.cacheDirectory, 'temporal-cli');
  mkdirSync(folder, { recursive: true });
  const held = await lock(join(options.cacheDirectory, 'temporal-download.lock'), (holder) => {
    options.onProgress(`Waiting for process ${holder.pid}, which is downloading the Temporal CLI.`);
  });
  try {
    const cached = await cliIn(folder);
    if (cached !== undefined) return cached;
    // Loaded only here: it brings the SDK's native library, which the other ways do not need.
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const executable = {
      type: 'cached-download',
      version: CLI_DOWNLOAD,
      downloadDir: folder,
    } as const;
    const environment = await TestWorkflowEnvironment.createLocal({
      server: { executable, ip: '127.0.0.1' },
    });
    await environment.teardown();
    return await cliIn(folder);
  } catch {
    // Without internet access the build below still works: it needs only a Go module proxy, or warm
    // caches.
    return undefined;
  } finally {
    held.release();
  }
}

async function cliIn(folder: string): Promise<string | undefined> {
  for (const name of readdirSync(folder)) {
    const path = name.startsWith('temporal') ? await recent(join(folder, name)) : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}
