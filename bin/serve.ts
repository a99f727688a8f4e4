/**
 * `countersign api`, with or without a worker, and `countersign worker`: the service on servers the
 * operator runs.
 */
import type { Config } from '../src/platform/config.ts';
import { checkDatabase } from '../src/platform/database/check.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { createLogger } from '../src/platform/logger.ts';
import { temporalConnectionOptions } from '../temporal/connection-options.ts';
import { readableSecretsKeys } from './secrets-key.ts';
import { listenForStop, stopInOrder } from './stopping.ts';

const STOP_WITHIN_MS = 9_000;

/** Runs until stopped. Resolves with the exit code. */
export async function serve(
  config: Config,
  roles: { api: boolean; worker: boolean },
): Promise<number> {
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  const stop = listenForStop({ onForce: () => process.exit(130), watchParent: false });
  const temporal = { connection: temporalConnectionOptions(config.temporalEnvironment) };
  const databaseUrl = config.databaseUrl ?? '';
  await checkDatabase(databaseUrl, 'serve');
  await readableSecretsKeys(config, { databaseUrl, own: false }).catch((error: unknown) => {
    if (error instanceof OperatorError) throw error;
    // When the database is not migrated yet, the service still starts. Operations with secrets that
    // it cannot decrypt respond with 501.
    logger.warn(
      { err: error },
      'could not check that the secrets key opens what the database holds',
    );
  });
  // It takes a second to load, which a configuration that is refused does not cost.
  const { composeApp } = await import('./compose.ts');
  const app = await composeApp(config, { logger, databaseUrl, temporal, roles });
  logger.info({ url: app.url, ...roles }, 'started');
  const reason = await stop.requested;
  logger.info({ reason }, 'stopping');
  await stopInOrder(
    [[{ name: 'service', withinMs: STOP_WITHIN_MS, stop: () => app.close() }]],
    logger,
  );
  logger.info('stopped');
  return 0;
}
