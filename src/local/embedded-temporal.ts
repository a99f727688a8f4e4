/**
 * A Temporal server of our own with its UI, as supervised children. One SQLite file holds its
 * history.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { freePort, freePorts, type EndOptions } from './processes.ts';
import { listensAt } from './listeners.ts';
import {
  endOrphan,
  ServerStartError,
  supervise,
  type ServerSpec,
  type SupervisedServer,
} from './supervisor.ts';
import {
  dynamicConfig,
  INTERNAL_PORTS,
  writeServerFiles,
  type TemporalPorts,
} from './temporal-server/configuration.ts';
import { temporalExecutables, type TemporalExecutables } from './temporal-server/executables.ts';

export interface EmbeddedTemporalOptions {
  /** Contains the SQLite file, the configuration and the logs. Created when missing. */
  readonly directory: string;
  /** Where a downloaded or built server is kept between runs and between data folders. */
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
  /** Exits and restarts of the children. */
  readonly onEvent?: (message: string) => void;
  /** Aborts finding or building a server. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedTemporal {
  /** host:port of the gRPC frontend. */
  readonly address: string;
  readonly uiUrl: string | undefined;
  /** The children by name, for callers that need their pids. */
  readonly servers: readonly SupervisedServer[];
  stop(): Promise<void>;
}

const SERVERS = ['server', 'ui'] as const;
const START_TIMEOUT_MS = 60_000;
const END: EndOptions = { signals: ['SIGTERM'], graceMs: 3_000 };

/** Finds a server (building it may take minutes, which `onProgress` says), starts it and waits until it answers. */
export async function startEmbeddedTemporal(
  options: EmbeddedTemporalOptions,
): Promise<EmbeddedTemporal> {
  const directory = resolve(options.directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of SERVERS) await endOrphan(recordFile(directory, name), END);
  const executables = await temporalExecutables({
    cacheDirectory: options.cacheDirectory,
    onProgress: options.onProgress ?? (() => undefined),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  try {
    return await startOn(
      await choosePorts(directory, options.preferredPorts),
      { ...options, directory },
      executables,
    );
  } catch (error) {
    // One of a dozen ports may have been taken between choosing and listening: retry once, with
    // other ports.
    if (!(error instanceof ServerStartError)) throw error;
    return await startOn(await otherPorts(), { ...options, directory }, executables);
  }
}

/** Ends the unsupervised servers of this folder at once; their next start recovers. */
export async function endLeftTemporal(directory: string): Promise<void> {
  for (const name of SERVERS)
    await endOrphan(recordFile(directory, name), { signals: [], graceMs: 1_000 });
}

async function startOn(
  ports: TemporalPorts,
  options: EmbeddedTemporalOptions,
  executables: TemporalExecutables,
): Promise<EmbeddedTemporal> {
  const withUi = options.ui !== false;
  const specs =
    executables.kind === 'cli'
      ? [cliSpec(ports, options, executables.path)]
      : binarySpecs(ports, options, executables);
  const servers: SupervisedServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    for (const spec of specs) servers.push(await supervise(spec));
  } catch (error) {
    await stop();
    throw error;
  }
  writeFileSync(join(options.directory, 'ports.json'), JSON.stringify(ports));
  return {
    address: `127.0.0.1:${ports.frontend}`,
    uiUrl: withUi ? `http://127.0.0.1:${ports.ui}` : undefined,
    servers,
    stop,
  };
}

function spec(
  options: EmbeddedTemporalOptions,
  name: 'server' | 'ui',
  rest: Pick<ServerSpec, 'name' | 'command' | 'args' | 'ready'>,
): ServerSpec {
  return {
    ...rest,
    // Nothing of the caller's environment: TEMPORAL_… variables mean something else to these programs.
    env: { HOME: options.directory },
    logFile: join(options.directory, `${name}.log`),
    recordFile: recordFile(options.directory, name),
    end: END,
    startTimeoutMs: START_TIMEOUT_MS,
    ...(options.onEvent ? { onEvent: options.onEvent } : {}),
  };
}

function binarySpecs(
  ports: TemporalPorts,
  options: EmbeddedTemporalOptions,
  executables: Extract<TemporalExecutables, { kind: 'binaries' }>,
): ServerSpec[] {
  const files = writeServerFiles(options.directory, ports, {
    timeSkipping: options.timeSkipping === true,
    namespace: options.namespace,
  });
  const server = spec(options, 'server', {
    name: 'Temporal server',
    command: executables.server,
    args: ['--config-file', files.server, '--allow-no-auth', 'start'],
    ready: answersAt(ports.frontend),
  });
  if (options.ui === false) return [server];
  const ui = spec(options, 'ui', {
    name: 'Temporal UI',
    command: executables.ui,
    args: ['-r', options.directory, '-c', 'ui', '-e', files.uiName, 'start'],
    ready: (pid) => listensAt(pid, ports.ui),
  });
  return [server, ui];
}

function cliSpec(ports: TemporalPorts, options: EmbeddedTemporalOptions, path: string): ServerSpec {
  const args = [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(ports.frontend),
    '--log-level',
    'warn',
  ];
  args.push(
    '--db-filename',
    join(options.directory, 'temporal.sqlite'),
    '--namespace',
    options.namespace,
  );
  if (options.ui === false) args.push('--headless');
  else args.push('--ui-port', String(ports.ui));
  for (const [key, value] of Object.entries(dynamicConfig(options.timeSkipping === true))) {
    args.push('--dynamic-config-value', `${key}=${JSON.stringify(value)}`);
  }
  return spec(options, 'server', {
    name: 'Temporal server',
    command: path,
    args,
    ready: answersAt(ports.frontend),
  });
}

function recordFile(directory: string, name: string): string {
  return join(directory, `${name}.process.json`);
}

/** The last run's ports if they are free: the server's own membership table still names them after a crash. */
async function choosePorts(
  directory: string,
  preferred: EmbeddedTemporalOptions['preferredPorts'],
): Promise<TemporalPorts> {
  const last = lastPorts(directory);
  const wanted = last ? [last.frontend, last.ui, ...last.internal] : [];
  const free = await Promise.all(wanted.map(async (port) => (await freePort(port)) === port));
  return last && free.every(Boolean) ? last : await otherPorts(preferred);
}

async function otherPorts(
  preferred?: EmbeddedTemporalOptions['preferredPorts'],
): Promise<TemporalPorts> {
  const frontend = await freePort(preferred?.frontend);
  const ui = await freePort(preferred?.ui);
  const others = (await freePorts(INTERNAL_PORTS + 2)).filter(
    (port) => ![frontend, ui].includes(port),
  );
  return { frontend, ui, internal: others.slice(0, INTERNAL_PORTS) };
}

function lastPorts(directory: string): TemporalPorts | undefined {
  try {
    const ports = JSON.parse(readFileSync(join(directory, 'ports.json'), 'utf8')) as TemporalPorts;
    return ports.internal.length === INTERNAL_PORTS ? ports : undefined;
  } catch {
    return undefined;
  }
}

/** Another program may have taken the port since it was chosen: its answer does not count. */
function answersAt(port: number): ServerSpec['ready'] {
  return async (pid) => (await listensAt(pid, port)) && (await temporalAnswers(port));
}

async function temporalAnswers(port: number): Promise<boolean> {
  try {
    const address = `127.0.0.1:${port}`;
    const connection = await Connection.connect({ address, connectTimeout: '2s' });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}
