import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../../temporal/bundle.ts';
import { startTestServers, TEST_NAMESPACE, type TestServers } from './servers.ts';

/**
 * Jest runs setup and teardown in one process, so its global object hands over the running servers.
 */
export interface WithServers {
  countersignTestServers?: TestServers;
  countersignTestBundle?: string;
}

export default async function globalSetup(): Promise<void> {
  const [servers, bundle] = await Promise.all([
    startTestServers(),
    bundleWorkflows(fileURLToPath(new URL('../../../workflows/index.ts', import.meta.url))),
  ]);
  (globalThis as WithServers).countersignTestServers = servers;
  const bundleFolder = mkdtempSync(join(tmpdir(), 'countersign-test-bundle-'));
  (globalThis as WithServers).countersignTestBundle = bundleFolder;
  const bundlePath = join(bundleFolder, 'workflow-bundle.js');
  writeFileSync(bundlePath, bundle);
  process.env['TEST_WORKFLOW_BUNDLE'] = bundlePath;
  process.env['TEST_POSTGRES_URL'] = servers.postgresUrl;
  process.env['TEST_TEMPORAL_ADDRESS'] = servers.temporalAddress;
  process.env['TEST_TEMPORAL_NAMESPACE'] = TEST_NAMESPACE;
}
