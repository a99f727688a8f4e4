/**
 * Assembles the parts of one process: pools, service context, change feed, reconciler, Temporal,
 * HTTP. The only such place.
 */
import { once, setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import { createActivities } from '../activities/index.ts';
import { endpoints } from '../api/endpoints.ts';
import { createHttpServer } from '../api/http/server.ts';
import { WakeSignal } from '../src/platform/wake-signal.ts';
import { ChangeHub } from '../src/platform/change-hub.ts';
import type { Config } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { openEgress } from '../src/platform/network/egress.ts';
import type { Logger } from '../src/platform/logger.ts';
import { openAnthropic } from '../src/platform/language-models/anthropic.ts';
import { openOpenAi } from '../src/platform/language-models/openai.ts';
import { openMailer } from '../src/platform/mailer.ts';
import { openOidcClient } from '../src/platform/oidc.ts';
import { openPool, type PoolOptions } from '../src/platform/postgres.ts';
import { openSecretBox } from '../src/platform/crypto/secret-box.ts';
import { openSigningKey } from '../src/platform/crypto/signing-key.ts';
import { openWorkerPool } from '../src/platform/threads/worker-pool.ts';
import { openSlack } from '../src/platform/slack.ts';
import { HeldCredentials } from '../src/services/access/held-credentials.ts';
import { QueueWatch } from '../src/services/requests/waiting/queue-watch.ts';
import { newWorkflowSync } from '../src/services/engine/workflow-sync.ts';
import { catchUp, startReconciler } from '../src/services/engine/reconciler.ts';
import { prepareBootstrap } from '../src/services/organization/bootstrap.ts';
import { startChangeFeed } from '../src/services/requests/waiting/change-feed.ts';
import type { Judge, Limits, AppRuntime, AppContext } from '../src/services/context.ts';
import { createMetrics } from '../src/services/metrics.ts';
import { startSlackPresses } from '../src/services/notifications/slack/presses.ts';
import { startSending } from '../src/services/notifications/send-loop.ts';
import { startTellingReceivers } from '../src/services/receivers/send-loop.ts';
import { startAccountMails } from '../src/services/account-mails.ts';
import { SignedEnds } from '../src/services/audit/signed-ends.ts';
import { startCheckpointMails } from '../src/services/audit/checkpoint-mails.ts';
import { sealBeforeEnd, startSealing } from '../src/services/audit/sealer.ts';
import { startPurging } from '../src/services/retention.ts';
import { TASK_QUEUE } from '../temporal/ids.ts';
import {
  linkTemporal,
  type TemporalLink,
  type TemporalOptions,
  type WorkerOptions,
} from '../temporal/worker.ts';
import { temporalWorkflows, type WorkflowsOptions } from '../temporal/workflows.ts';
import { connectionsProbe, deploymentOf, probes, schemaProbe } from './deployment.ts';

export interface ComposeOptions {
  readonly logger: Logger;
  readonly databaseUrl: string;
  readonly temporal: Pick<TemporalOptions, 'connection' | 'silentAfterMs'> &
    Pick<WorkflowsOptions, 'callTimeoutMs'>;
  readonly roles: { readonly api: boolean; readonly worker: boolean };
  readonly workflowBundle?: WorkflowBundleOption;
  /** The module of heavy-work.ts that threads load. Default: next to this file. */
  readonly heavyWork?: URL;
  /** A response that differs from its declaration fails the call (tests) instead of being logged. */
  readonly strictResponses?: boolean;
  readonly taskQueue?: string;
  /** How long calls wait for locks and for connections, where that is not what a production service waits. */
  readonly databaseWaits?: Pick<PoolOptions, 'lockTimeoutMs' | 'connectTimeoutMs'>;
}

/** The API and the worker of one process. */
export interface RunningApp {
  /** Where the API listens. */
  readonly url: string;
  readonly context: AppContext;
  readonly temporal: TemporalLink;
  close(): Promise<void>;
}

/** Agents whose active rules a process knows. */
const KNOWN_RULES = 10_000;
const DRAIN_MS = 3_000;
/** Next to this file, in the sources and in the build. */
const HEAVY_WORK = new URL(import.meta.url.replace(/compose(\.\w+)$/, 'heavy-work$1'));
/**
 * What sends, purges and seals shares it. Three are enough: none of them holds a connection while it waits for another system,
 * and none takes a second one inside a transaction. So they wait for each other's statements only, at most a batch of sealing.
 */
const SENDER_POOL = 3;
/** The reason next to it is one of the file system, or of a database that is away. */
const NO_BOOTSTRAP_SECRET =
  'the bootstrap secret could not be written; COUNTERSIGN_DATA_DIR must be a folder that can be written to';
/**
 * Limits waits for a lock, so that callers retry instead of exhausting the pool. An idle holder of
 * a lock is disconnected.
 */
const LOCKS = { lockTimeoutMs: 5_000, idleInTransactionMs: 30_000 } as const;

/** Serves before Temporal is connected. Resolves once it listens. */
export async function composeApp(config: Config, options: ComposeOptions): Promise<RunningApp> {
  const { logger, databaseUrl, roles, taskQueue = TASK_QUEUE } = options;
  const { db, workerDb, senderDb, ...probed } = openPools(config, options);
  // Known only after the context exists, so both are read at each use.
  const later: { temporal?: TemporalLink; url?: string } = {};
  const stopping = stopController();
  const signedEnds = new SignedEnds(config.auditSignedFile);
  const runtime = createRuntime(config, {
    logger,
    signedEnds,
    stopping: stopping.signal,
    temporal: { ...options.temporal, link: () => later.temporal, taskQueue },
    heavyWork: options.heavyWork ?? HEAVY_WORK,
    deployment: deploymentOf(config, { db, ...probed, signedEnds }, () => later.temporal),
    publicUrl: () => config.publicUrl ?? later.url ?? `http://${config.host}:${config.port}`,
  });
  const context = { ...runtime, db };
  const workerContext = { ...runtime, db: workerDb };
  const temporal = linkTemporal(
    {
      ...options.temporal,
      namespace: config.temporalNamespace,
      taskQueue,
      logger,
      onReturn: (how) => catchUp(workerContext, how),
    },
    roles.worker ? workerOptions(config, workerContext, options) : undefined,
  );
  later.temporal = temporal;
  if (roles.api) await prepareFirstOwner(context);
  const server = createHttpServer(context, {
    endpoints: roles.api ? endpoints : [],
    strictResponses: options.strictResponses ?? false,
    trustedProxies: config.trustedProxies ?? [],
    publicUrlConfigured: config.publicUrlConfigured,
    probes: probes({ db, ...probed, signedEnds }, temporal),
    metricsToken: config.metricsToken,
  });
  const feed = startChangeFeed(context, databaseUrl);
  const reconciler = startReconciler(workerContext);
  const loops = startLoops(roles, { context, senderContext: { ...runtime, db: senderDb } });
  later.url = await listen(server, config);
  void probed.connections().catch(() => undefined);
  return {
    url: later.url,
    context,
    temporal,
    close: async () => {
      stopping.abort();
      await Promise.all([
        closeServer(server),
        reconciler.stop(),
        ...loops.map((loop) => loop.stop()),
        feed.stop(),
        temporal.close(),
      ]);
      // Nothing writes events any more.
      if (roles.worker) await sealBeforeEnd({ ...runtime, db: senderDb });
      await release(context, [db, workerDb, senderDb]);
    },
  };
}

async function prepareFirstOwner(context: AppContext): Promise<void> {
  await prepareBootstrap(context).catch((error: unknown) => {
    context.logger.warn({ reason: reasonOf(error) }, NO_BOOTSTRAP_SECRET);
  });
}

function startLoops(
  roles: ComposeOptions['roles'],
  { context, senderContext }: { readonly context: AppContext; readonly senderContext: AppContext },
): readonly { stop(): Promise<void> }[] {
  return [
    ...(roles.api ? [startSlackPresses(context)] : []),
    ...(roles.worker
      ? [
          startSending(senderContext),
          startTellingReceivers(senderContext),
          startAccountMails(senderContext),
          startPurging(senderContext),
          startSealing(senderContext),
          startCheckpointMails(senderContext),
        ]
      : []),
  ];
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Closes what is no longer used: connections to receivers, threads, database connections. */
async function release(
  { mailer, egress, workerPool }: AppRuntime,
  databases: readonly { destroy(): Promise<unknown> }[],
): Promise<void> {
  mailer?.close();
  egress.close();
  await Promise.all([workerPool.close(), ...databases.map((database) => database.destroy())]);
}

/**
 * Calls, steps and messages have separate connections, so that none can take those of the others. `schema` looks at the schema
 * that they lead to, `connections` at the room for them.
 */
function openPools(config: Config, { databaseUrl, databaseWaits, logger }: ComposeOptions) {
  const open = (user: string, max: number) =>
    openPool({
      connectionString: databaseUrl,
      max,
      applicationName: `countersign-${user}`,
      ...LOCKS,
      ...databaseWaits,
    });
  const db = open('api', config.databasePool);
  return {
    db,
    schema: schemaProbe(db, logger),
    connections: connectionsProbe(db, config, logger),
    workerDb: open('worker', config.workerPool),
    senderDb: open('sender', SENDER_POOL),
  };
}

interface Given extends Pick<
  AppRuntime,
  'logger' | 'stopping' | 'publicUrl' | 'deployment' | 'signedEnds'
> {
  readonly temporal: Pick<WorkflowsOptions, 'link' | 'taskQueue' | 'callTimeoutMs'>;
  readonly heavyWork: URL;
}

function createRuntime(config: Config, { temporal, heavyWork, ...given }: Given): AppRuntime {
  const metrics = createMetrics();
  const { stopping } = given;
  return {
    ...given,
    metrics,
    workflows: temporalWorkflows({ ...temporal, observer: metrics.temporalCalls, stopping }),
    changes: new ChangeHub(),
    heldCredentials: new HeldCredentials(),
    queueWatch: new QueueWatch(),
    workflowSync: newWorkflowSync(),
    inlineRules:
      config.rules === 'door' ? { revisions: new LRUCache({ max: KNOWN_RULES }) } : undefined,
    limits: limitsOf(config),
    edition: config.edition,
    pushHosts: config.pushHosts ?? [],
    secrets:
      config.secretsKey === undefined
        ? undefined
        : openSecretBox(config.secretsKey, config.previousSecretsKeys ?? []),
    auditKey: config.auditKey === undefined ? undefined : openSigningKey(config.auditKey),
    auditMail: config.auditMail,
    workerPool: openWorkerPool(heavyWork),
    egress: openEgress({ allow: config.egressAllow ?? [] }),
    mailer: config.smtpUrl === undefined ? undefined : openMailer(config.smtpUrl, config.emailFrom),
    slack: openSlack(config.slackApiUrl),
    slackPressed: new WakeSignal(),
    oidc: config.oidc && openOidcClient(config.oidc, config.secretsKey ?? config.oidc.clientSecret),
    judge: judgeOf(config),
    bootstrapSecretFile: join(config.dataDirectory, 'bootstrap-secret'),
  };
}

function judgeOf({ edition, judge }: Config): Judge | undefined {
  if (edition === 'open' || !judge) return undefined;
  const open = judge.provider === 'openai' ? openOpenAi : openAnthropic;
  const { models, prices, dailyTokens } = judge;
  return { ...open(judge), models, prices, dailyTokens };
}

function stopController(): AbortController {
  const controller = new AbortController();
  // One listener for each parked wait.
  setMaxListeners(0, controller.signal);
  return controller;
}

function limitsOf(config: Config): Limits {
  return {
    pendingRequests: config.maxPendingRequests,
    activeAgents: config.maxActiveAgents,
    callsPerMinute: config.rateLimit,
    createBudgetMs: config.createBudget,
    agentCredentialLifetimeMs: config.agentCredentialLifetime,
    provisionerLifetimeMs: config.provisionerLifetime,
    apiKeyLifetimeMs: config.maxApiKeyLifetime,
    seats: config.maxSeats,
  };
}

function workerOptions(
  config: Config,
  context: AppContext,
  { workflowBundle }: ComposeOptions,
): WorkerOptions {
  return {
    activities: createActivities(context),
    workflowBundle: workflowBundle ?? {
      codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)),
    },
    concurrency: config.workerPool,
    maxCachedWorkflows: config.maxCachedWorkflows,
  };
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new OperatorError(`The API cannot listen (${reasonOf(error)}). Set HOST and PORT.`);
  });
  const address = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** Gives running responses a moment to finish. Parked waits are already ending. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cutOff = setTimeout(() => {
    server.closeAllConnections();
  }, DRAIN_MS);
  await closed;
  clearTimeout(cutOff);
}
