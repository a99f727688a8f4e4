/** The package of the TypeScript SDK as users get it: built, packed, and installed into an empty project. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';

const run = promisify(execFile);

/** The folder of the project. */
export async function installPackage(): Promise<string> {
  const root = packageRoot();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-'));
  const compile = ['tsc', '-p', 'sdk/typescript', '--noCheck'];
  await run('npx', [...compile, '--outDir', join(folder, 'sdk/dist')], { cwd: root });
  copyFileSync(join(root, 'sdk/typescript/package.json'), join(folder, 'sdk/package.json'));
  await run('npm', ['pack', '--silent', '--pack-destination', folder, join(folder, 'sdk')], {
    cwd: folder,
  });
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], {
    cwd: folder,
  });
  return folder;
}

/** Gives the project packages that users install beside it. `packages`: the folder that has them. */
export function linkPeers(folder: string, packages: string, ...peers: readonly string[]): void {
  for (const peer of peers) {
    const link = join(folder, 'node_modules', peer);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(packages, peer), link);
  }
}
