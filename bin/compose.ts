/** Puts the parts of one process together: pools, service context, change feed, backstop, Temporal, HTTP. The only such place. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import { createActivities } from '../activities/index.ts';
import { endpoints } from '../api/endpoints.ts';
import type { OperationProbes } from '../api/operations.ts';
import { createHttpServer } from '../api/server.ts';
import { pendingMigrations } from '../src/data/migrate.ts';
import { ChangeHub } from '../src/platform/change-hub.ts';
import type { Config } from '../src/platform/config.ts';
import { openPool, type Db } from '../src/platform/postgres.ts';
import { startBackstop } from '../src/services/approval-requests/backstop.ts';
import { startChangeFeed } from '../src/services/change-feed.ts';
import type { ServiceContext } from '../src/services/context.ts';
import { createMetrics } from '../src/services/metrics.ts';
import { temporalConnectionOptions } from '../temporal/connection-options.ts';
import { TASK_QUEUE } from '../temporal/ids.ts';
import { linkTemporal, type TemporalLink } from '../temporal/worker.ts';
import { temporalWorkflows } from '../temporal/workflows.ts';
import type { App, AppParts } from './app.ts';

export interface ComposeOptions extends AppParts {
  readonly workflowBundle?: WorkflowBundleOption;
  readonly strictAnswers?: boolean;
  readonly taskQueue?: string;
}

export interface RunningApp extends App {
  readonly context: ServiceContext;
  readonly temporal: TemporalLink;
}

const FRESH_REQUESTS = 2_000;
const FRESH_MS = 30_000;
const MAX_CLOCK_DIFFERENCE_MS = 1_000;
const DRAIN_MS = 3_000;

/** Serves before Temporal is connected; resolves once it listens. */
export async function composeApp(config: Config, options: ComposeOptions): Promise<RunningApp> {
  const { logger, databaseUrl } = options;
  const taskQueue = options.taskQueue ?? TASK_QUEUE;
  const db = openPool({ connectionString: databaseUrl, max: config.databasePool, applicationName: 'countersign-api' });
  const workerDb = openPool({ connectionString: databaseUrl, max: config.workerPool, applicationName: 'countersign-worker' });
  const address: { publicUrl?: string } = {};
  const link: { temporal?: TemporalLink } = {};
  const context: ServiceContext = {
    db,
    changes: new ChangeHub(),
    workflows: temporalWorkflows(() => link.temporal?.client(), taskQueue),
    fresh: new LRUCache({ max: FRESH_REQUESTS, ttl: FRESH_MS }),
    limits: {
      pendingRequests: config.maxPendingRequests,
      activeAgents: config.maxActiveAgents,
      createBudgetMs: config.createBudget,
      agentCredentialLifetimeMs: config.agentCredentialLifetime,
    },
    logger,
    metrics: createMetrics(),
    publicUrl: () => config.publicUrl ?? address.publicUrl ?? `http://${config.host}:${config.port}`,
    bootstrapSecretFile: join(config.dataDirectory, 'bootstrap-secret'),
  };
  const temporal = linkTemporal(
    {
      connection: temporalConnectionOptions(config.temporalEnvironment, options.temporal?.address),
      namespace: config.temporalNamespace,
      taskQueue,
      logger,
    },
    options.roles.worker
      ? {
          activities: createActivities({ ...context, db: workerDb }),
          workflowBundle: options.workflowBundle ?? { codePath: new URL('../workflow-bundle.js', import.meta.url).pathname },
          concurrency: config.workerPool,
          maxCachedWorkflows: config.maxCachedWorkflows,
        }
      : undefined,
  );
  link.temporal = temporal;
  const server = createHttpServer(context, {
    endpoints: options.roles.api ? endpoints : [],
    strictAnswers: options.strictAnswers ?? false,
    probes: probes(db, temporal),
  });
  const feed = startChangeFeed(context, databaseUrl);
  const backstop = startBackstop({ ...context, db: workerDb });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  address.publicUrl = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  return {
    url: address.publicUrl,
    context,
    temporal,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const cutOff = setTimeout(() => {
        server.closeAllConnections();
      }, DRAIN_MS);
      await Promise.all([closed, backstop.stop(), feed.stop(), temporal.close()]);
      clearTimeout(cutOff);
      await Promise.all([db.destroy(), workerDb.destroy()]);
    },
  };
}

function probes(db: Db, temporal: TemporalLink): OperationProbes {
  return {
    database: async () => {
      const { rows } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
      const difference = Math.abs((rows[0]?.now.getTime() ?? 0) - Date.now());
      return difference > MAX_CLOCK_DIFFERENCE_MS ? `its clock is ${difference} ms off this process's` : undefined;
    },
    migrations: async () => {
      const pending = await pendingMigrations(db);
      return pending.length > 0 ? `not run yet: ${pending.join(', ')}` : undefined;
    },
    temporal: temporal.probe,
  };
}
