/**
 * Installs the peers into a folder of the cache, in the versions of `bench/peers/packages/`. They
 * are no packages of ours, so nothing imports them by name: a peer's process loads them from there.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { cacheDirectory } from '../frame/servers.ts';
import { say } from '../frame/say.ts';

/** Without scripts: the only one reports the installation to others. */
const NPM_CI = 'ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error'.split(
  ' ',
);
const FILES = ['package.json', 'package-lock.json'];

/** The versions of the packages by name, for example `{ '@dbos-inc/dbos-sdk': '5.3.0' }`. */
export function peerVersions(): Readonly<Record<string, string>> {
  const { dependencies } = JSON.parse(readFileSync(pinned('package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

/** The folder that holds exactly these versions. Installs them if necessary. Throws OperatorError. */
export async function installPeers(): Promise<string> {
  const folder = join(cacheDirectory(), 'bench-peers');
  const done = join(folder, 'installed.json');
  const wanted = readFileSync(pinned('package-lock.json'), 'utf8');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return folder;
  say(`installing the peers from npm into ${folder}`);
  mkdirSync(folder, { recursive: true });
  rmSync(done, { force: true });
  for (const file of FILES) copyFileSync(pinned(file), join(folder, file));
  try {
    await promisify(execFile)('npm', NPM_CI, { cwd: folder });
  } catch (error) {
    throw new OperatorError(
      `npm could not install the peers into ${folder}. Check with \`npm ping\` that its registry is reachable, then run the benchmark again.\n${firstLines(error)}`,
    );
  }
  writeFileSync(done, wanted);
  return folder;
}

function pinned(file: string): string {
  return join(packageRoot(), 'bench/peers/packages', file);
}

function firstLines(error: unknown): string {
  const output = String((error as { stderr?: unknown }).stderr ?? error).trim();
  return output.split('\n').slice(0, 6).join('\n');
}
