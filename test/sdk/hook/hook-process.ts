/** The bundled hook as a process, as coding agents start it. */
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HookStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

export interface Hook {
  /** The bundle. */
  readonly file: string;
  /** Of the user of the test. */
  readonly home: string;
  start(args: readonly string[], start?: HookStart): Started;
  run(args: readonly string[], start?: HookStart): Promise<Ended>;
  remove(): void;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/** Bundles it. `env` is all of its environment, besides the search path and the home folder. */
export function bundledHook(env: () => Readonly<Record<string, string>> = () => ({})): Hook {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-hook-'));
  execFileSync(process.execPath, [join(packageRoot(), 'bin/build/hook.js'), folder]);
  const file = join(folder, 'countersign-hook.js');
  const home = mkdtempSync(join(folder, 'home-'));
  const start: Hook['start'] = (args, { env: more = {}, stdin = '', cwd = home } = {}) => {
    const child = spawn(process.execPath, [file, ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: home, ...env(), ...more },
    });
    return { child, ended: endOf(child, stdin) };
  };
  return {
    ...{ file, home, start },
    run: (args, options) => start(args, options).ended,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function endOf(
  child: ChildProcessWithoutNullStreams,
  stdin: string | Uint8Array,
): Promise<Ended> {
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    stdout: Buffer.concat(out).toString(),
    stderr: Buffer.concat(errors).toString(),
  };
}
