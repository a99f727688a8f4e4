import { once } from 'node:events';
import type { WithServers } from './global-setup.ts';

export default async function globalTeardown(): Promise<void> {
  const child = (globalThis as WithServers).countersignTestServers;
  if (!child || child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  await exited;
}
