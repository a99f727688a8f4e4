/** `npm run sdk` and `npm run hook`: writes the packages into dist and says where. Without `hook` as its argument, that of the SDK, too. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = join(root, 'dist');
const run = (command, args) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

function pack(folder) {
  // A fresh clone has no dist, and npm makes none.
  mkdirSync(out, { recursive: true });
  const name = run('npm', ['pack', '--silent', '--pack-destination', out, folder]).trim();
  const file = join(out, name);
  process.stdout.write(`${file}\n`);
}

if (process.argv[2] !== 'hook') {
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'sdk/typescript', '--noCheck']);
  pack('./sdk/typescript');
}
run(process.execPath, ['bin/build/hook.js']);
pack('./sdk/hook');
