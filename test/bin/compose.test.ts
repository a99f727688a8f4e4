/** The parts of one process: starting and closing them. */
import { expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { cloneDatabase } from '../support/run/database.ts';

test('a process that is closed right after its start ends, even while it still connects', async () => {
  const database = await cloneDatabase();
  for (let round = 0; round < 5; round += 1) {
    const app = await startApp({ databaseUrl: database.url });
    await app.close();
    await expect(app.http.get('/health/live')).rejects.toThrow();
  }
  await database.drop();
});
