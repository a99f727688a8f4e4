/**
 * `npm run build`: compiles the service into dist/, bundles the workflows and builds the web app. It skips what has not
 * changed. With `--tests` it also compiles all sources and tests into dist/tests, where Jest runs them.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { spawnSync } from 'node:child_process';
import { fileURLToPath, URL } from 'node:url';
import { compile } from './compile.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stampFile = join(root, 'dist/.build-stamp');
const FOLDERS = [
  ...['src', 'api', 'workflows', 'activities', 'temporal', 'migrations', 'bin', 'demo', 'bench'],
  'sdk/typescript/src',
];
const SETTINGS = ['package.json', 'package-lock.json'];

/** What the sources are now: their names, sizes and times. */
function stampOfSources() {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const hash = createHash('sha256');
  for (const file of [...files, ...SETTINGS.map((name) => join(root, name))].sort()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function run(script) {
  const { status, error } = spawnSync(process.execPath, [join(root, script)], {
    cwd: root,
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const stamp = stampOfSources();
if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) run('bin/build/web.js');
else {
  const began = performance.now();
  process.stdout.write('Building Countersign …');
  await compile(root, { folders: FOLDERS, to: 'dist' });
  run('dist/bin/build/workflows.js');
  run('bin/build/web.js');
  // The API reference, with the licenses of its script. The package itself remains a development
  // package.
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css'])
    copyFileSync(join(root, 'node_modules/swagger-ui-dist', file), join(root, 'dist', file));
  writeFileSync(stampFile, stamp);
  process.stdout.write(` done in ${((performance.now() - began) / 1_000).toFixed(1)} s.\n`);
}
if (process.argv.includes('--tests'))
  await compile(root, {
    folders: [...FOLDERS, 'sdk/hook/src', 'test', 'web/src', 'web/build'],
    to: 'dist/tests',
  });
