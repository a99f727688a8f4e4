import { startTestServers, TEST_NAMESPACE, type TestServers } from './servers.ts';

/** Jest runs setup and teardown in one process: the running servers are handed over on its global object. */
export interface WithServers {
  countersignTestServers?: TestServers;
}

export default async function globalSetup(): Promise<void> {
  const servers = await startTestServers();
  (globalThis as WithServers).countersignTestServers = servers;
  process.env['TEST_POSTGRES_URL'] = servers.postgresUrl;
  process.env['TEST_TEMPORAL_ADDRESS'] = servers.temporalAddress;
  process.env['TEST_TEMPORAL_NAMESPACE'] = TEST_NAMESPACE;
}
