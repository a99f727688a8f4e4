/** What the test of the image needs of this machine. Where something is missing, it is skipped, and the summary says why. */
import { spawnSync } from 'node:child_process';

const PROGRAMS = ['debootstrap', 'buildah', 'unshare', 'chroot'];

export function findImageTools(): void {
  const why = missing();
  if (why !== undefined) process.env['TEST_IMAGE_MISSING'] = why;
}

/** False where its test is skipped. */
export function canBuildImage(): boolean {
  return process.env['TEST_IMAGE_MISSING'] === undefined;
}

function missing(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root, to mount file systems and to change users';
  const found = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  const names = PROGRAMS.filter((name) => !found(name));
  if (names.length > 0) return `${names.join(' and ')} must be installed`;
  return spawnSync('unshare', ['--mount', 'true']).status === 0
    ? undefined
    : 'this machine lets root mount nothing';
}
