/**
 * The files that the standard Temporal server and UI read at start, in the data folder. Every port is
 * on 127.0.0.1.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** The ports of one server: each of its four services has two, the UI one. */
export interface TemporalPorts {
  readonly frontend: number;
  readonly ui: number;
  /** Seven more: gRPC ports of the other services and all membership ports. */
  readonly internal: readonly number[];
}

export const INTERNAL_PORTS = 7;

export interface ServerFiles {
  readonly server: string;
  readonly uiFolder: string;
  readonly uiName: string;
}

/**
 * Settings of the server that the CLI also accepts on its command line (`--dynamic-config-value`).
 */
export function dynamicConfig(timeSkipping: boolean): Record<string, boolean | number | string> {
  return {
    // New search attributes can be used at once; with five of them the refresh costs nothing.
    'system.forceSearchAttributesCacheRefreshOnRead': true,
    'system.namespaceCacheRefreshInterval': '1s',
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    // The worker that schedules an activity gets it at once, without a way through the task queue.
    'system.enableActivityEagerExecution': true,
    ...(timeSkipping ? { 'frontend.WorkflowTimeSkippingEnabled': true } : {}),
  };
}

/** Writes the configuration and returns its place. */
export function writeServerFiles(
  directory: string,
  ports: TemporalPorts,
  options: { readonly timeSkipping: boolean; readonly namespace: string },
): ServerFiles {
  const uiFolder = join(directory, 'ui');
  mkdirSync(uiFolder, { recursive: true });
  const dynamic = join(directory, 'dynamic.yaml');
  const server = join(directory, 'server.yaml');
  const values = Object.entries(dynamicConfig(options.timeSkipping)).map(([key, value]) => [
    key,
    [{ value }],
  ]);
  writeFileSync(dynamic, stringify(Object.fromEntries(values)));
  writeFileSync(
    server,
    stringify(serverConfig(join(directory, 'temporal.sqlite'), dynamic, ports)),
  );
  writeFileSync(join(uiFolder, 'embedded.yaml'), stringify(uiConfig(ports, options.namespace)));
  return { server, uiFolder, uiName: 'embedded' };
}

function serverConfig(database: string, dynamic: string, ports: TemporalPorts): object {
  const [matching, history, worker, ...membership] = ports.internal;
  const service = (grpcPort: number | undefined, membershipPort: number | undefined): object => ({
    rpc: { grpcPort, membershipPort, bindOnLocalHost: true },
  });
  const sql = {
    pluginName: 'sqlite',
    // One file for both stores: two of them fail at start.
    databaseName: database,
    connectAddr: 'localhost',
    connectProtocol: 'tcp',
    connectAttributes: {
      cache: 'private',
      setup: 'true',
      journal_mode: 'wal',
      synchronous: '1',
      mode: 'rwc',
    },
    maxConns: 1,
    maxIdleConns: 1,
    maxConnLifetime: '24h',
  };
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: 1,
      datastores: { main: { sql }, visibility: { sql } },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: service(ports.frontend, membership[0]),
      matching: service(matching, membership[1]),
      history: service(history, membership[2]),
      worker: service(worker, membership[3]),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports.frontend}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    namespaceDefaults: {
      archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    },
    dynamicConfigClient: { filepath: dynamic, pollInterval: '60s' },
  };
}

function uiConfig(ports: TemporalPorts, namespace: string): object {
  return {
    temporalGrpcAddress: `127.0.0.1:${ports.frontend}`,
    host: '127.0.0.1',
    port: ports.ui,
    enableUi: true,
    defaultNamespace: namespace,
    // The page makes no requests to the internet.
    disableNewsFetch: true,
    notifyOnNewVersion: false,
    hideLogs: true,
    cors: { cookieInsecure: true, allowOrigins: [`http://127.0.0.1:${ports.ui}`] },
  };
}
