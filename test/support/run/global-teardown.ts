import type { WithServers } from './global-setup.ts';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as WithServers).countersignTestServers?.stop();
}
