/** Says how to reach the Temporal server. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';

/**
 * How to reach Temporal: address, TLS and API key from the TEMPORAL_… variables, with their usual
 * meaning. An address given here (the embedded server's) ignores those variables, which describe
 * another server.
 */
export function temporalConnectionOptions(
  environment: Readonly<Record<string, string>>,
  embeddedAddress?: string,
): NativeConnectionOptions {
  if (embeddedAddress !== undefined) return { address: embeddedAddress };
  return loadClientConnectConfig({ overrideEnvVars: { ...environment }, disableFile: true })
    .connectionOptions;
}
