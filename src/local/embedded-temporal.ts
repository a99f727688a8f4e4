/**
 * A Temporal server of our own with its UI, as a supervised child. One SQLite file holds its
 * history.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { freePort, type EndOptions } from './processes.ts';
import { listensAt } from './listeners.ts';
import { endOrphan, ServerStartError, supervise, type ServerSpec } from './supervisor.ts';
import { temporalExecutable } from './temporal-server/executable.ts';

export interface EmbeddedTemporalOptions {
  /** Contains the SQLite file and the log. Created when missing. */
  readonly directory: string;
  /** Where a downloaded CLI is kept between runs and between data folders. */
  readonly cacheDirectory: string;
  /** The namespace that the UI opens. `setupTemporal` registers it. */
  readonly namespace: string;
  /** Default true. */
  readonly ui?: boolean;
  /** Taken at the first start if they are free; later starts prefer the last run's. Default: any free ones. */
  readonly preferredPorts?: { readonly frontend: number; readonly ui: number };
  /** Lets tests move a workflow's clock. Default false. */
  readonly timeSkipping?: boolean;
  readonly onProgress?: (message: string) => void;
  /** Exits and restarts of the server. */
  readonly onEvent?: (message: string) => void;
  /** Ends the download of a CLI. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedTemporal {
  /** host:port of the gRPC frontend. */
  readonly address: string;
  readonly uiUrl: string | undefined;
  /** Undefined between a crash of the server and its restart. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const END: EndOptions = { signals: ['SIGTERM'], graceMs: 3_000 };

interface Ports {
  readonly frontend: number;
  readonly ui: number;
}

/** Finds the CLI (`onProgress` says when it is downloaded), starts its server and waits until it responds. */
export async function startEmbeddedTemporal(
  options: EmbeddedTemporalOptions,
): Promise<EmbeddedTemporal> {
  const directory = resolve(options.directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await endOrphan(recordFile(directory), END);
  const executable = await temporalExecutable({
    cacheDirectory: options.cacheDirectory,
    onProgress: options.onProgress ?? (() => undefined),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const start = (ports: Ports): Promise<EmbeddedTemporal> =>
    startOn(ports, { ...options, directory }, executable);
  try {
    return await start(await choosePorts(directory, options.preferredPorts));
  } catch (error) {
    // One of the ports may have been taken between choosing and listening: retry once, with others.
    if (!(error instanceof ServerStartError)) throw error;
    return await start(await freePair());
  }
}

/** Ends the unsupervised server of this folder at once; its next start recovers. */
export async function endLeftTemporal(directory: string): Promise<void> {
  await endOrphan(recordFile(directory), { signals: [], graceMs: 1_000 });
}

async function startOn(
  ports: Ports,
  options: EmbeddedTemporalOptions,
  executable: string,
): Promise<EmbeddedTemporal> {
  const server = await supervise({
    name: 'Temporal server',
    command: executable,
    args: serverArguments(ports, options),
    ready: respondsAt(ports.frontend),
    // Nothing of the caller's environment: TEMPORAL_… variables mean something else to this program.
    env: { HOME: options.directory },
    logFile: join(options.directory, 'server.log'),
    recordFile: recordFile(options.directory),
    end: END,
    startTimeoutMs: START_TIMEOUT_MS,
    ...(options.onEvent ? { onEvent: options.onEvent } : {}),
  });
  writeFileSync(join(options.directory, 'ports.json'), JSON.stringify(ports));
  return {
    address: `127.0.0.1:${ports.frontend}`,
    uiUrl: options.ui === false ? undefined : `http://127.0.0.1:${ports.ui}`,
    pid: () => server.pid(),
    stop: () => server.stop(),
  };
}

function serverArguments(ports: Ports, options: EmbeddedTemporalOptions): string[] {
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'];
  args.push('--port', String(ports.frontend), '--namespace', options.namespace);
  args.push('--db-filename', join(options.directory, 'temporal.sqlite'));
  if (options.ui === false) args.push('--headless');
  else args.push('--ui-port', String(ports.ui));
  for (const [key, value] of Object.entries(dynamicConfig(options.timeSkipping === true)))
    args.push('--dynamic-config-value', `${key}=${JSON.stringify(value)}`);
  return args;
}

function dynamicConfig(timeSkipping: boolean): Record<string, boolean | number | string> {
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

function recordFile(directory: string): string {
  return join(directory, 'server.process.json');
}

/** The last run's ports if they are free: bookmarks of the UI and other processes still name them. */
async function choosePorts(
  directory: string,
  preferred: EmbeddedTemporalOptions['preferredPorts'],
): Promise<Ports> {
  const wanted = lastPorts(directory) ?? preferred;
  return await freePair(wanted);
}

async function freePair(preferred?: Ports): Promise<Ports> {
  const frontend = await freePort(preferred?.frontend);
  let ui = await freePort(preferred?.ui);
  while (ui === frontend) ui = await freePort();
  return { frontend, ui };
}

function lastPorts(directory: string): Ports | undefined {
  try {
    const { frontend, ui } = JSON.parse(
      readFileSync(join(directory, 'ports.json'), 'utf8'),
    ) as Partial<Ports>;
    return frontend !== undefined && ui !== undefined ? { frontend, ui } : undefined;
  } catch {
    return undefined;
  }
}

/** Another program may have taken the port since it was chosen: its response does not count. */
function respondsAt(port: number): ServerSpec['ready'] {
  return async (pid) => (await listensAt(pid, port)) && (await temporalResponds(port));
}

async function temporalResponds(port: number): Promise<boolean> {
  try {
    const address = `127.0.0.1:${port}`;
    const connection = await Connection.connect({ address, connectTimeout: '2s' });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}
