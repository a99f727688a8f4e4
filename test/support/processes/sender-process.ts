/** A worker that only sends the outbox. It cannot reach Temporal. */
import { composeApp } from '../../../bin/compose.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { createLogger } from '../../../src/platform/logger.ts';

// The test holds the other end, so this process ends with the test.
process.stdin.on('end', () => process.exit(1)).resume();
const config = loadConfig(process.env, 'start');
await composeApp(config, {
  logger: createLogger({ level: 'error', format: 'json', destination: process.stderr }),
  databaseUrl: config.databaseUrl ?? '',
  temporal: { connection: { address: '127.0.0.1:9' } },
  roles: { api: false, worker: true },
  workflowBundle: { codePath: '/nowhere' },
  taskQueue: 'unserved',
});
