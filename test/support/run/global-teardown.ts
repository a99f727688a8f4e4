import { rmSync } from 'node:fs';
import type { WithServers } from './global-setup.ts';

export default async function globalTeardown(): Promise<void> {
  const { countersignTestServers, countersignTestBundle } = globalThis as WithServers;
  await countersignTestServers?.stop();
  if (countersignTestBundle !== undefined)
    rmSync(countersignTestBundle, { recursive: true, force: true });
}
