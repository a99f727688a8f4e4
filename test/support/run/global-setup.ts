import { bundlePackages } from './bundled-packages.ts';
import { bundlePrograms } from './bundled-programs.ts';
import { compileSources } from './compiled-sources.ts';
import { preparePython } from './python.ts';
import { runScript } from './run-source.ts';
import { startTestServers, TEST_NAMESPACE, type TestServers } from './servers.ts';
import { prepareWorkflowBundle } from './workflow-bundle.ts';

/**
 * Jest runs setup and teardown in one process, so its global object hands over the running servers.
 */
export interface WithServers {
  countersignTestServers?: TestServers;
}

export default async function globalSetup(): Promise<void> {
  await runScript('bin/build/web.js');
  const sources = await compileSources();
  await bundlePackages();
  const [servers] = await Promise.all([
    startTestServers(),
    prepareWorkflowBundle(),
    bundlePrograms(sources),
    preparePython(),
  ]);
  (globalThis as WithServers).countersignTestServers = servers;
  process.env['TEST_POSTGRES_URL'] = servers.postgresUrl;
  process.env['TEST_TEMPORAL_ADDRESS'] = servers.temporalAddress;
  process.env['TEST_TEMPORAL_NAMESPACE'] = TEST_NAMESPACE;
}
