/** Builds the web app into dist/web, unless nothing it is made of has changed since. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { isBuilt, replaceBuild } from './swap-web-build.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'dist/web');

/** Types are not built, and those of the API are generated. The lock file names all packages. */
const isBuiltFrom = (file) => !file.endsWith('.d.ts') && !file.includes('/node_modules/');

function digestOfSources() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const source of [
    'web',
    'docs',
    'examples/configuration/pipelines',
    'src/platform/json',
    'src/domain',
  ])
    for (const entry of readdirSync(join(root, source), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && isBuiltFrom(join(entry.parentPath, entry.name)))
        hash
          .update(`${join(entry.parentPath, entry.name)}\n`)
          .update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex');
}

const sources = digestOfSources();
if (!isBuilt(folder, sources)) {
  const made = join(root, `dist/.web-${process.pid}`);
  try {
    // Tests set another one, and React would bring its development build.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    const configFile = join(root, 'web/vite.config.ts');
    await build({ configFile, logLevel: 'warn', build: { outDir: made } });
    replaceBuild(made, { folder, sources });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
