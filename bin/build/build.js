/**
 * `npm run build`: compiles into dist/ and bundles the workflows, unless no source has changed
 * since.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stampFile = join(root, 'dist/.build-stamp');
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
const folders = [...include.filter((name) => name !== 'test'), 'web'].filter((name) =>
  existsSync(join(root, name)),
);
const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

function sources() {
  const found = folders.flatMap((folder) => {
    const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  });
  return [...found, ...settings.map((name) => join(root, name))].sort();
}

function stampOf(files) {
  const names = createHash('sha256').update(files.join('\n')).digest('hex');
  const states = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(file);
    states.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return { names, states: states.digest('hex') };
}

function lastStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Not the web app, which a service may serve meanwhile and whose build replaces it file by file. */
function dropOutput() {
  const dist = join(root, 'dist');
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist))
    if (name !== 'web') rmSync(join(dist, name), { recursive: true, force: true });
}

const stamp = stampOf(sources());
const last = lastStamp();
if (last.states === stamp.states) run(process.execPath, [join(root, 'bin/build/web.js')]);
else {
  const began = performance.now();
  process.stdout.write('Building Countersign …');
  // The output of a deleted source must go, too, or a deleted migration would still run.
  if (last.names !== stamp.names) dropOutput();
  else rmSync(stampFile, { force: true });
  run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    'tsconfig.build.json',
  ]);
  run(process.execPath, [join(root, 'dist/bin/build/workflows.js')]);
  run(process.execPath, [join(root, 'bin/build/web.js')]);
  // The API reference's script, with the licenses that it names. The package itself remains a
  // development package.
  for (const file of ['redoc.standalone.js', 'redoc.standalone.js.LICENSE.txt'])
    copyFileSync(join(root, 'node_modules/redoc/bundles', file), join(root, 'dist', file));
  writeFileSync(stampFile, JSON.stringify(stamp));
  process.stdout.write(` done in ${((performance.now() - began) / 1_000).toFixed(1)} s.\n`);
}
