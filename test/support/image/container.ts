/**
 * Processes of the image, as a cluster runs them: user 1000 without any capability, as process 1 of its own, on a root file system
 * that is read-only. They share the network of this machine.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Image } from './build.ts';

/** `/data` is as empty and as open as a new `emptyDir`. */
const ENTER = `
root="$1" data="$2" user="$3"; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --bind "$data" "$root/data"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups \\
  --bounding-set=-all --inh-caps=-all --no-new-privs env --ignore-environment --chdir=/app "$@"
`;

export interface Container {
  readonly process: ChildProcess;
  /** What it has written so far. */
  output(): string;
  /** As a container engine stops it. */
  stop(): void;
  /** Its exit code. */
  readonly exited: Promise<number | null>;
}

export interface RunOptions {
  /** The folder that it has as `/data`. */
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const running = new Set<ChildProcess>();

export const newDataFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-data-'));
  chmodSync(folder, 0o777);
  return folder;
};

/** For `afterAll`. */
export async function endContainers(folders: readonly string[]): Promise<void> {
  for (const child of running) {
    const exited = once(child, 'exit');
    // Not `unshare`: what runs under another user than its parent outlives it.
    process.kill(processIn(child.pid ?? 0), 'SIGKILL');
    await exited;
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Runs a command of the product with these arguments. */
export function runImage(image: Image, args: readonly string[], options: RunOptions): Container {
  return start(image, [...image.config.Entrypoint, ...args], options);
}

/** Runs what a container engine asks from time to time. Resolves with its exit code: 0 is healthy. */
export async function checkHealth(image: Image, options: RunOptions): Promise<number | null> {
  const [kind, ...command] = image.config.Healthcheck.Test;
  if (kind !== 'CMD') throw new Error(`the health check is of another kind: ${String(kind)}`);
  return await start(image, command, options).exited;
}

function start(
  { root, config }: Image,
  command: readonly string[],
  { data, env = {}, input = '' }: RunOptions,
): Container {
  const variables = [...config.Env, ...Object.entries(env).map((pair) => pair.join('='))];
  const child = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', ENTER, 'sh'],
      ...[root, data, config.User, ...variables, ...command],
    ],
    { stdio: 'pipe' },
  );
  running.add(child);
  child.stdin.on('error', () => undefined).end(input);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return {
    process: child,
    output: () => output,
    stop: () => {
      process.kill(processIn(child.pid ?? 0), 'SIGTERM');
    },
    exited,
  };
}

/** `unshare` waits for the process that it started. */
function processIn(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number.parseInt(children, 10);
}
