/** The parts of one process: starting and closing them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tasks } from '../../bin/heavy-work.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
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

test('the worker pool finds each task, and nothing else, by the name of its function', () => {
  const names = Object.keys(tasks).sort();
  expect(Object.values(tasks).map((task) => task.name)).toEqual(Object.keys(tasks));
  const sources = ['api', 'src/services'].flatMap((folder) => {
    const at = join(packageRoot(), folder);
    const files = readdirSync(at, { recursive: true, encoding: 'utf8' });
    return files
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(at, name), 'utf8'));
  });
  const given = sources.flatMap((text) =>
    [...text.matchAll(/(?:\b\w*[pP]ool\.run\(|\b(?:reader|\w+Reader):)\s*([a-z]\w*)\s*[,}]/g)].map(
      ([, task]) => task,
    ),
  );
  expect([...new Set(given)].filter((task) => task !== 'reader').sort()).toEqual(names);
});
