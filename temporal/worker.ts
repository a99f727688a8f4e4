/**
 * The connection to Temporal and its worker. Connecting, setup and reconnecting happen in the
 * background.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import {
  NativeConnection,
  Worker,
  type NativeConnectionOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { Activities } from '../activities/index.ts';
import type { Problem, TemporalFacts } from '../src/services/ports.ts';
import { within } from './deadline.ts';
import { routeSdkLogs } from './runtime.ts';
import { SEARCH_ATTRIBUTES, setupTemporal, type Prepared } from './setup.ts';
import { createPresence, watchServer, type Presence, type WatchOptions } from './watch.ts';
import { withoutPromiseHooks } from './workflow-thread.ts';

export interface TemporalOptions extends Pick<
  WatchOptions,
  'namespace' | 'logger' | 'onReturn' | 'silentAfterMs'
> {
  readonly connection: NativeConnectionOptions;
  readonly taskQueue: string;
}

export interface WorkerOptions {
  readonly activities: Activities;
  readonly workflowBundle: WorkflowBundleOption;
  /** Concurrent local activities: the size of the worker's own database pool. */
  readonly concurrency: number;
  /** Open workflows kept in memory, about 170 KB each. */
  readonly maxCachedWorkflows: number;
}

/** A connection that may be established later. */
export interface TemporalLink {
  /** Undefined until there is a connection. A connection whose server went away stays. */
  client(): Client | undefined;
  readonly presence: Presence;
  /** Search attributes that the namespace has no room for. */
  lacking(): readonly string[];
  /** Resolves once connected and set up. */
  readonly ready: Promise<void>;
  /** The problem, or undefined when the server responds and has all search attributes. */
  probe(): Promise<Problem | undefined>;
  /** Never rejects. */
  facts(): Promise<TemporalFacts>;
  /** Drains the worker, then closes the connection. */
  close(): Promise<void>;
}

/**
 * Calls of rules to other systems that one process has under way. They hold no connection to the
 * database, but the request that they post: up to a megabyte each.
 */
const CALLS_AT_ONCE = 400;
const RETRY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;

const FACTS_MS = 1_500;
/** `TASK_QUEUE_TYPE_WORKFLOW` of its API. */
const TASK_QUEUE_OF_WORKFLOWS = 1;

interface Poller {
  readonly lastAccessTime?: { readonly seconds?: { toString(): string } | null } | null;
}

function newestOf(pollers: readonly Poller[]): Pick<TemporalFacts, 'workerSeenAt'> {
  const seconds = pollers.map(({ lastAccessTime: at }) => Number(at?.seconds?.toString() ?? 0));
  const newest = Math.max(0, ...seconds);
  return newest > 0 ? { workerSeenAt: new Date(newest * 1_000) } : {};
}

async function factsOf(
  client: Client | undefined,
  {
    namespace,
    taskQueue,
    presence,
  }: Pick<TemporalOptions, 'namespace' | 'taskQueue'> & { readonly presence: Presence },
): Promise<TemporalFacts> {
  if (!client || presence.away.aborted) return {};
  const service = client.connection.workflowService;
  const asked = Promise.all([
    service.getSystemInfo({}),
    service.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: TASK_QUEUE_OF_WORKFLOWS,
    }),
  ]);
  return await within(FACTS_MS, asked).then(
    ([{ serverVersion }, { pollers }]) => ({
      ...(serverVersion && { version: serverVersion }),
      ...newestOf(pollers ?? []),
    }),
    () => ({}),
  );
}

/** Sets the server up, each time it is new or unsure, and says once what it lacks. */
function createSetup(options: TemporalOptions) {
  let known: readonly string[] = [];
  return {
    lacking: (): readonly string[] => known,
    run: async (connection: NativeConnection, signal: AbortSignal): Promise<Prepared> => {
      const prepared = await setupTemporal(connection, options.namespace, { signal });
      const { lacking } = prepared;
      if (lacking.join() !== known.join())
        if (lacking.length > 0) options.logger.warn({ lacking }, noRoomFor(lacking, options));
        else options.logger.info('the Temporal namespace has all search attributes now');
      known = lacking;
      return prepared;
    },
  };
}

/** Connects in the background; with `worker`, also runs workflows and activities on the same connection (eager starts need that). */
export function linkTemporal(options: TemporalOptions, worker?: WorkerOptions): TemporalLink {
  routeSdkLogs(options.logger);
  const state = {
    client: undefined as Client | undefined,
    worker: undefined as Worker | undefined,
    /** Why there is no connection. */
    problem: 'not connected',
  };
  const presence = createPresence();
  const setup = createSetup(options);
  const closing = new AbortController();
  let markReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    markReady = resolve;
  });

  const serve = async () => {
    const connection = await connect(options, closing.signal);
    const serving = new AbortController();
    try {
      const prepared = await setup.run(connection, closing.signal);
      state.worker = worker && (await createWorker(connection, options, worker));
      const served = state.worker ? state.worker.run() : untilAborted(closing.signal);
      // Closed while the worker was created: it has to run once to be drained.
      if (closing.signal.aborted) state.worker?.shutdown();
      state.client = new Client({ connection, namespace: options.namespace });
      options.logger.info({ namespace: options.namespace }, 'Temporal connected');
      presence.heard();
      markReady();
      const { signal } = serving;
      const setUp = () => setup.run(connection, signal);
      void watchServer(connection, { ...options, presence, prepared, setUp, signal });
      await served;
    } finally {
      serving.abort();
      state.client = undefined;
      state.worker = undefined;
      await connection.close().catch(() => undefined);
    }
  };
  const running = serveUntil(closing.signal, serve, (error) => {
    const reason = reasonOf(error);
    state.problem = `not connected: ${reason}`;
    options.logger.warn({ reason }, 'Temporal is not available; retrying');
  });

  return {
    client: () => state.client,
    presence,
    lacking: setup.lacking,
    ready,
    probe: async () =>
      state.client ? await problemOf(state.client, setup.lacking(), options) : state.problem,
    facts: () => factsOf(state.client, { ...options, presence }),
    close: async () => {
      closing.abort();
      if (state.worker?.getState() === 'RUNNING') state.worker.shutdown();
      await running;
    },
  };
}

function noRoomFor(lacking: readonly string[], { namespace }: TemporalOptions): string {
  const some = `${lacking.length} of ${SEARCH_ATTRIBUTES.length} search attributes`;
  return (
    `Temporal namespace ${namespace} has no room for ${some}: ${lacking.join(', ')}. Requests go on without them, and the Temporal UI cannot ` +
    'search by them. Remove attributes of type Keyword that nothing uses, or set TEMPORAL_NAMESPACE to a namespace of its own.'
  );
}

/** Rejects while the server does not respond. */
async function problemOf(
  client: Client,
  lacking: readonly string[],
  options: TemporalOptions,
): Promise<Problem | undefined> {
  const { namespace } = options;
  await within(1_500, client.connection.workflowService.describeNamespace({ namespace }));
  return lacking.length > 0 ? { degraded: noRoomFor(lacking, options) } : undefined;
}

/** Serves again shortly after each failure. */
async function serveUntil(
  closing: AbortSignal,
  serve: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  while (!closing.aborted) {
    await serve().catch((error: unknown) => {
      if (!closing.aborted) onFailure(error);
    });
    await delay(RETRY_MS, undefined, { signal: closing }).catch(() => undefined);
  }
}

/** With what the layers below say: the SDK's own message is "transport error". */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause)
    if (!messages.includes(at.message)) messages.push(at.message);
  return messages.length === 0 ? String(error) : messages.join(': ');
}

async function createWorker(
  connection: NativeConnection,
  options: TemporalOptions,
  worker: WorkerOptions,
): Promise<Worker> {
  const create = () =>
    Worker.create({
      connection,
      namespace: options.namespace,
      taskQueue: options.taskQueue,
      workflowBundle: worker.workflowBundle,
      activities: worker.activities,
      maxCachedWorkflows: worker.maxCachedWorkflows,
      maxConcurrentLocalActivityExecutions: worker.concurrency,
      maxConcurrentActivityTaskExecutions: CALLS_AT_ONCE,
      maxConcurrentWorkflowTaskExecutions: 40,
      shutdownGraceTime: '5s',
      shutdownForceTime: '8s',
    });
  return await withoutPromiseHooks(create);
}

/** Rejects at once when stopped; a connection that arrives later is closed. */
async function connect(
  { connection }: TemporalOptions,
  signal: AbortSignal,
): Promise<NativeConnection> {
  const connecting = NativeConnection.connect(connection);
  try {
    return await within(CONNECT_TIMEOUT_MS, connecting, signal);
  } catch (error) {
    void connecting.then((late) => late.close()).catch(() => undefined);
    throw error;
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
