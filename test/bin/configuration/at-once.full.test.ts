/** An apply that is not alone, and a folder that is not the right one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { applyChanges, verified } from '../../../bin/configuration/apply.ts';
import { apply, plan } from '../../../bin/configuration/command.ts';
import { readFolder } from '../../../bin/configuration/folder.ts';
import { planOf } from '../../../bin/configuration/plan.ts';
import { openService } from '../../../bin/configuration/service.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { ended } from './company.ts';

const { app, owner, people, path } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada']] },
});
const root = mkdtempSync(join(tmpdir(), 'countersign-at-once-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});
const options = { url: app.url, key: owner.apiKey };

function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

test('what another apply changed between plan and change stops this one, and stays', async () => {
  await owner.http.post('/api/v1/agents', { slug: 'desk', name: 'Desk' });
  const rename = (name: string) =>
    owner.http.call('PATCH', '/api/v1/agents/desk', { body: { name } });
  const folder = await readFolder(folderOf('ours', { 'agents/desk.yaml': 'name: Ours\n' }));
  const service = openService(options);
  const { changes } = await planOf(service, folder, []);
  expect(changes.map(({ name }) => name)).toEqual(['agents/desk']);
  await rename('Theirs');
  const on = { service, secrets: undefined, onDone: () => undefined };
  expect(await applyChanges(changes, on)).toMatchObject({
    done: [],
    notDone: ['agents/desk'],
    stopped: { message: expect.stringMatching(/Someone else changed it meanwhile.*plan again/) },
  });
  expect((await owner.http.get('/api/v1/agents/desk')).body['name']).toBe('Theirs');
});

test('what another changed after the last change of an apply is found at its end', async () => {
  const applied = { done: ['agents/desk'], notDone: [] };
  expect(await verified(applied, () => Promise.resolve([]))).toBe(applied);
  expect(await verified(applied, () => Promise.resolve([{ name: 'agents/desk' }]))).toMatchObject({
    notDone: ['agents/desk'],
    stopped: { name: 'agents/desk', message: expect.stringContaining('plan again') },
  });
});

test('an empty folder with --prune is the wrong folder', async () => {
  const folder = folderOf('empty', {});
  for (const command of [plan, apply]) {
    const pruned = await ended((output) => command(folder, { ...options, prune: ['all'] }, output));
    expect([pruned.code, pruned.err]).toEqual([1, expect.stringContaining('has no documents')]);
    expect((await ended((output) => command(folder, options, output))).code).toBe(0);
  }
});

test('a former member has their name in a difference', async () => {
  const { bob, ada } = people;
  await path('night', [['bob']]);
  // Past the guard of the API, which removes no one who is on a path.
  await app.db('memberships').where({ id: bob.membershipId }).update({ status: 'deprovisioned' });
  const folder = folderOf('night', {
    'escalation-paths/night.yaml': `name: night
nodes:
  - id: first
    type: level
    targets: [{ user: ${ada.email} }]
    escalate_after: 10m
`,
  });
  const { out, code } = await ended((output) => plan(folder, options, output));
  expect(code).toBe(2);
  expect(out).toContain(`${bob.email} (removed)`);
});
