/** The parts of one process, put together and taken apart. */
import { expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { cloneDatabase } from '../support/run/database.ts';

test('a process that is closed the moment it has started ends, whatever was still connecting', async () => {
  const database = await cloneDatabase();
  for (let round = 0; round < 5; round += 1) {
    const app = await startApp({ databaseUrl: database.url });
    await app.close();
    await expect(app.http.get('/health/live')).rejects.toThrow();
  }
  await database.drop();
});
