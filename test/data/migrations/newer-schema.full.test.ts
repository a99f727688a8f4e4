/** During a rolling upgrade, processes of the version before run on the newer schema. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { runCommand } from '../../bin/processes.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';

const NEWER = '29990101000000_of_the_future';
const app = await appForFile();
const newer = { name: NEWER, batch: 9, migration_time: new Date() };
const folder = mkdtempSync(join(tmpdir(), 'countersign-newer-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const warnings = ({ log }: TestApp) =>
  log.filter((line) => line.includes('schema of the database'));
const readiness = async ({ http }: TestApp) => {
  const { body } = await http.get('/health/ready');
  return (body['checks'] as unknown as Readonly<Record<string, unknown>>)['migrations'];
};

test('a process goes on, whether it runs already or starts now, and logs once that the schema is newer', async () => {
  expect(await readiness(app)).toEqual({ status: 'ok' });
  expect(warnings(app)).toEqual([]);
  await app.db('knex_migrations').insert(newer);
  const second = await startApp({ databaseUrl: app.databaseUrl });
  for (const each of [app, second]) {
    expect(await readiness(each)).toEqual({ status: 'ok' });
    expect(await readiness(each)).toEqual({ status: 'ok' });
    expect(warnings(each)).toEqual([expect.stringContaining(NEWER)]);
  }
  await second.close();
});

test('`migrate` of the version before says so in a sentence, and changes nothing', async () => {
  const before = await app.db('knex_migrations').pluck<string[]>('name');
  expect(before).toContain(NEWER);
  const { status, stdout, stderr } = runCommand(['migrate'], folder, {
    env: { DATABASE_URL: app.databaseUrl },
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^A newer version of Countersign made the schema [^\n]*29990101000000_of_the_future[^\n]*\.\n$/,
  );
  expect(await app.db('knex_migrations').pluck('name')).toEqual(before);
});
