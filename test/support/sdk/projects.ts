/** Projects of users of the TypeScript SDK. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Gives a project packages that its user installs. `packages`: the folder that has them. */
export function linkPeers(folder: string, packages: string, ...peers: readonly string[]): void {
  for (const peer of peers) {
    const link = join(folder, 'node_modules', peer);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(packages, peer), link);
  }
}
