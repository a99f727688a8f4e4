/** A worker that only sends what is in the outbox: Temporal is out of its reach. */
import { composeApp } from '../../../bin/compose.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { createLogger } from '../../../src/platform/logger.ts';

// The test holds the other end: a process whose test is gone must not stay behind.
process.stdin.on('end', () => process.exit(1)).resume();
const config = loadConfig(process.env, 'start');
await composeApp(config, {
  logger: createLogger({ level: 'error', format: 'json', destination: process.stderr }),
  databaseUrl: config.databaseUrl ?? '',
  temporal: { address: '127.0.0.1:9' },
  roles: { api: false, worker: true },
  workflowBundle: { codePath: '/nowhere' },
  taskQueue: 'nobody',
});
