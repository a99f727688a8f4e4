import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';

/**
 * How to reach Temporal: address, TLS and API key from the TEMPORAL_… variables, which mean what they mean to every
 * Temporal tool. An address given here (the embedded server's) stands alone: those variables speak of another server.
 */
export function temporalConnectionOptions(
  environment: Readonly<Record<string, string>>,
  embeddedAddress?: string,
): NativeConnectionOptions {
  if (embeddedAddress !== undefined) return { address: embeddedAddress };
  return loadClientConnectConfig({ overrideEnvVars: { ...environment }, disableFile: true })
    .connectionOptions;
}
