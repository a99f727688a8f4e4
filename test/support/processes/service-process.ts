/**
 * API and worker as a separate process. Argument: the task queue. Prints its URL.
 */
import { composeApp } from '../../../bin/compose.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { temporalConnectionOptions } from '../../../temporal/connection-options.ts';
import { WORKFLOW_BUNDLE } from '../run/built.ts';

const [taskQueue = ''] = process.argv.slice(2);
// The test holds the other end, so this process ends with the test.
process.stdin.on('end', () => process.exit(1)).resume();
const config = loadConfig(process.env, 'api');
const app = await composeApp(config, {
  logger: createLogger({ level: 'warn', format: 'json', destination: process.stderr }),
  databaseUrl: config.databaseUrl ?? '',
  temporal: { connection: temporalConnectionOptions(config.temporalEnvironment) },
  roles: { api: true, worker: true },
  workflowBundle: { codePath: WORKFLOW_BUNDLE },
  taskQueue,
  strictResponses: true,
});
await app.temporal.ready;
process.stdout.write(`${app.url}\n`);
