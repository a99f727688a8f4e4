/**
 * The image, built from the Dockerfile by buildah, which needs no engine. In place of the official image of Node.js, it starts from
 * Debian's packages and Node.js from npm.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';

const DEBIAN = 'bookworm';
/** The one that the image of Node.js 24 has. */
const NPM = 'npm@11';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const NAME = 'countersign:test';
const OUTPUT_BYTES = 64 * 1024 ** 2;

/** What the image says of itself. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly WorkingDir: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export interface Image {
  /** Its file system. */
  readonly root: string;
  readonly config: ImageConfig;
  /** Removes it, and all that building it left. */
  remove(): Promise<void>;
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: packageRoot(),
    maxBuffer: OUTPUT_BYTES,
  });
  return stdout.trim();
}

/** Takes minutes. */
export async function buildImage(): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-image-'));
  const stores = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
  const buildah = (...args: readonly string[]) => run('buildah', [...stores, ...args]);
  const remove = async () => {
    await buildah('rm', '--all');
    await buildah('rmi', '--all', '--force');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await makeBase(buildah, folder);
    // What `npm ci` of this machine downloaded is not downloaded again.
    const cache = await run('npm', ['config', 'get', 'cache']);
    const options = ['--isolation=chroot', '--format=docker', '--pull-never', '--layers=false'];
    const volume = ['--volume', `${cache}:/root/.npm`];
    await buildah('bud', ...options, ...volume, '--tag', NAME, '.');
    const container = await buildah('from', '--pull-never', NAME);
    const about = await buildah('inspect', '--type', 'image', NAME);
    return {
      root: await buildah('mount', container),
      config: (JSON.parse(about) as { Docker: { config: ImageConfig } }).Docker.config,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** An image of the name that the Dockerfile starts from. */
async function makeBase(
  buildah: (...args: readonly string[]) => Promise<string>,
  folder: string,
): Promise<void> {
  const version = readFileSync(join(packageRoot(), '.node-version'), 'utf8').trim();
  const packages = join(folder, 'packages');
  await run('npm', [
    'install',
    '--silent',
    '--no-save',
    '--prefix',
    packages,
    `node@${version}`,
    NPM,
  ]);
  const container = await buildah('from', 'scratch');
  const root = await buildah('mount', container);
  // What it mounts ends with it.
  await run('unshare', ['--mount', 'debootstrap', '--variant=minbase', DEBIAN, root]);
  const modules = join(packages, 'node_modules');
  cpSync(join(modules, 'node/bin/node'), join(root, 'usr/local/bin/node'));
  chmodSync(join(root, 'usr/local/bin/node'), 0o755);
  cpSync(join(modules, 'npm'), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  await run('chroot', [root, 'useradd', '--uid=1000', '--user-group', '--create-home', 'node']);
  await trustAuthorityOfNpm(root);
  await buildah('umount', container);
  await buildah('config', '--env', `PATH=${PATH}`, container);
  await buildah('commit', '--rm', container, `docker.io/library/node:${version}-${DEBIAN}-slim`);
}

/** Where this machine's npm has a separate certificate authority, so has that of the base. */
async function trustAuthorityOfNpm(root: string): Promise<void> {
  const file = await run('npm', ['config', 'get', 'cafile']);
  if (file === 'null') return;
  cpSync(file, join(root, 'usr/local/share/npm-ca.pem'), { dereference: true });
  const settings = join(root, 'usr/local/etc/npmrc');
  writeFileSync(settings, 'cafile=/usr/local/share/npm-ca.pem\n', { flag: 'w' });
}
