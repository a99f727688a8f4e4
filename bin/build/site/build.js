/** Builds the documentation site into dist/docs. Its generator has its own lock file, so that a clone does not install it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const site = fileURLToPath(new URL('.', import.meta.url));
const lock = readFileSync(join(site, 'package-lock.json'), 'utf8');
const stamp = join(site, 'node_modules/.installed');

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function installed() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

if (installed() !== lock) {
  run('npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(stamp, lock);
}
run(join(site, 'node_modules/.bin/vitepress'), ['build', '.']);
console.log('The site is in dist/docs. To read it, run `npx vitepress preview` in bin/build/site.');
