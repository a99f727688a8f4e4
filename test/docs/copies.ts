/** A copy of the repository in a temporary folder, to follow a recipe in. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.ts';

/** What a command writes there must not change the original. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', '.countersign', 'coverage']);

export function copyRepository(): string {
  const root = packageRoot();
  const copy = mkdtempSync(join(tmpdir(), 'countersign-copy-'));
  cpSync(root, copy, {
    recursive: true,
    filter: (path) =>
      !relative(root, path)
        .split('/')
        .some((part) => LEFT_OUT.has(part)),
  });
  linkPackages(join(root, 'node_modules'), join(copy, 'node_modules'));
  // The compiler looks only at what differs.
  const cache = join('node_modules', '.cache');
  mkdirSync(join(copy, cache));
  for (const name of readdirSync(join(root, cache)).filter((each) => each.endsWith('.tsbuildinfo')))
    cpSync(join(root, cache, name), join(copy, cache, name));
  // Some tests ask Git for the files.
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  execFileSync('git', ['add', '--all'], { cwd: copy });
  return copy;
}

/** Links to packages. Those of the workspaces lead into the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === '.cache') continue;
    const path = join(from, name);
    if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(to, name));
    else if (name.startsWith('@') || name === '.bin') linkPackages(path, join(to, name));
    else symlinkSync(path, join(to, name));
  }
}

/** Runs a command there. Resolves with its exit code and what it printed. */
export async function runIn(folder: string, command: string): Promise<[code: unknown, string]> {
  const { PATH = '', HOME = '', XDG_CACHE_HOME } = process.env;
  const child = spawn('sh', ['-c', command], {
    cwd: folder,
    env: { PATH, HOME, ...(XDG_CACHE_HOME !== undefined && { XDG_CACHE_HOME }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [unknown];
  return [code, printed];
}
