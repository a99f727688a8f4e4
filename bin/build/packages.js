/**
 * Builds the packages of the SDK and the hook, writes them into a folder, and prints their paths:
 * `packages.js [hook] [--into FOLDER]`. With `hook`, only that of the hook. Default: dist.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { into: { type: 'string', default: join(root, 'dist') } },
  allowPositionals: true,
});
const run = (command, args) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

function pack(folder) {
  // A fresh clone has no dist, and npm makes none.
  mkdirSync(values.into, { recursive: true });
  const name = run('npm', ['pack', '--silent', '--pack-destination', values.into, folder]).trim();
  process.stdout.write(`${join(values.into, name)}\n`);
}

if (!positionals.includes('hook')) {
  // The compiler leaves outputs of sources that are gone.
  rmSync(join(root, 'sdk/typescript/dist'), { recursive: true, force: true });
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'sdk/typescript', '--noCheck']);
  pack('./sdk/typescript');
}
run(process.execPath, ['bin/build/hook.js']);
pack('./sdk/hook');
