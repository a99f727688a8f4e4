/**
 * `npm run release -- --dry-run`: the packages that a release publishes, in dist/release. Publishing is left to the release workflow
 * (docs/contributing/releases.md). Two runs on the same sources write the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { stageService } from './stage-service.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = join(root, 'dist/release');

/** Archives of Python carry this time instead of that of the build: 1 January 1980, the earliest that a zip file can name. */
const SOURCE_DATE_EPOCH = '315532800';

if (!process.argv.includes('--dry-run')) {
  console.error(
    'Only the release workflow publishes. Give --dry-run to write what it would publish to dist/release.',
  );
  process.exit(2);
}

function run(command, args, env = {}) {
  execFileSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
}

const pack = (folder) => run('npm', ['pack', '--silent', '--pack-destination', out, folder]);

function packService() {
  const folder = join(root, 'dist/service');
  stageService(root, folder);
  pack(folder);
}

/** With a virtual environment of its own, because a system's Python may refuse packages. */
function packPython() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-release-'));
  try {
    run('python3', ['-m', 'venv', folder]);
    const python = join(folder, 'bin/python');
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'build==1.3.0']);
    // Without what an earlier build left beside the sources.
    for (const name of ['pyproject.toml', 'README.md', 'src'])
      cpSync(join(root, 'sdk/python', name), join(folder, 'sdk', name), { recursive: true });
    run(python, ['-m', 'build', '--outdir', out, join(folder, 'sdk')], { SOURCE_DATE_EPOCH });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
run(process.execPath, ['bin/build/build.js']);
packService();
run(process.execPath, ['bin/build/packages.js', '--into', out]);
packPython();

const digest = (name) =>
  createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
const files = readdirSync(out, { withFileTypes: true }).filter((entry) => entry.isFile());
const lines = files.map(({ name }) => `${digest(name)}  ${name}\n`).sort();
writeFileSync(join(out, 'SHA256SUMS'), lines.join(''));
process.stdout.write(lines.join(''));
