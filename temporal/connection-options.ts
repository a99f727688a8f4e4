/** Says how to reach the Temporal server. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { ConfigError } from '../src/platform/config.ts';

/**
 * How to reach Temporal: address, TLS and API key from the TEMPORAL_… variables, with their usual
 * meaning. An address given here (the embedded server's) ignores those variables, which describe
 * another server. Throws ConfigError for files that are no certificates or keys.
 */
export function temporalConnectionOptions(
  environment: Readonly<Record<string, string>>,
  embeddedAddress?: string,
): NativeConnectionOptions {
  if (embeddedAddress !== undefined) return { address: embeddedAddress };
  try {
    const { connectionOptions } = loadClientConnectConfig({
      overrideEnvVars: { ...environment },
      disableFile: true,
    });
    const pair = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'];
    if (pair.filter((name) => environment[name] !== undefined).length === 1)
      throw new Error('a client certificate needs its key, and a key its certificate');
    checkFiles(connectionOptions.tls);
    return connectionOptions;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `TLS to Temporal cannot be set up: ${reason}. Check TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH: files in PEM that this user can read.`,
    );
  }
}

/** The SDK would only say "transport error", again and again. */
function checkFiles(tls: NativeConnectionOptions['tls']): void {
  if (typeof tls !== 'object' || tls === null) return;
  if (tls.serverRootCACertificate) certificateIn(tls.serverRootCACertificate, 'authority');
  if (!tls.clientCertPair) return;
  const certificate = certificateIn(tls.clientCertPair.crt, 'client');
  let key;
  try {
    key = createPrivateKey(Buffer.from(tls.clientCertPair.key));
  } catch {
    throw new Error('the file of the client key holds no key');
  }
  if (!certificate.checkPrivateKey(key))
    throw new Error('the client key is not that of the client certificate');
}

function certificateIn(bytes: Uint8Array, whose: string): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch {
    throw new Error(`the file of the ${whose} certificate holds no certificate`);
  }
}
