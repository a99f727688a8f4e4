/** Builds and packs the SDK for TypeScript and the hook, into dist or the folder that is given. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.argv[2] ?? join(root, 'dist');
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

mkdirSync(folder, { recursive: true });
// The compiler leaves outputs of sources that are gone.
rmSync(join(root, 'sdk/typescript/dist'), { recursive: true, force: true });
run('npx', 'tsc', '-p', 'sdk/typescript', '--noCheck');
run(process.execPath, 'bin/build/hook.js');
for (const name of ['typescript', 'hook'])
  run('npm', 'pack', '--silent', '--pack-destination', folder, `./sdk/${name}`);
