/** When the service says that Postgres allows fewer connections than its processes may open. */
import { expect, test } from '@jest/globals';
import { connectionsProblem } from '../../bin/deployment.ts';
import { readConnectionRoom } from '../../src/data/connections.ts';
import { startApp } from '../support/app.ts';
import { appForFile } from '../support/scene.ts';
import { until } from '../support/waiting.ts';

const app = await appForFile();

test('each process of the service is counted once', async () => {
  await until(
    'the process hears of changes',
    async () => (await readConnectionRoom(app.db)).processes === 1,
  );
  const second = await startApp({ databaseUrl: app.databaseUrl });
  await until('so does another', async () => (await readConnectionRoom(app.db)).processes === 2);
  await second.close();
});

test('four processes with the default pools fit into the default of Postgres, and five do not', () => {
  const [allowed, each] = [97, 24];
  expect(connectionsProblem({ processes: 4, allowed, each })).toBeUndefined();
  expect(connectionsProblem({ processes: 5, allowed, each })).toBe(
    '5 processes may open 120 connections, and Postgres allows 97. Raise max_connections, or lower COUNTERSIGN_DATABASE_POOL and COUNTERSIGN_WORKER_POOL.',
  );
});
