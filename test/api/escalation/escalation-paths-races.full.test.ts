/** Changes of escalation paths by callers who lose their access at that moment. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import { createOrganization, type TestOrganization } from '../../support/scene/factories.ts';
import { granted } from '../../support/scene/permission-policies.ts';
import { expectRecheck, startHosted } from '../../support/withdrawals.ts';

const PATHS = '/api/v1/escalation-paths';
const PATH = `${PATHS}/on-call`;
const EVERYONE = {
  name: 'On call',
  nodes: [
    { id: randomUUID(), type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '5m' },
  ],
};

let app: TestApp;
let organization: TestOrganization;

beforeAll(async () => {
  app = await startHosted();
});
afterAll(() => app.close());
beforeEach(async () => {
  organization = await createOrganization(app);
  const created = await organization.owner.http.post(PATHS, { path_key: 'on-call', ...EVERYONE });
  expect(created.status).toBe(201);
});

test('a path is created only by a caller who still may when its key is taken', async () => {
  await expectRecheck({
    app,
    organization,
    policy: granted('escalation_path.write'),
    call: (client) => client.post(PATHS, { path_key: 'at-night', ...EVERYONE }),
  });
});

test('a path has a new revision only by a caller who still may when it is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: granted('escalation_path.write'),
    call: (client) => client.post(`${PATH}/revisions`, EVERYONE),
  });
  const revisions = await organization.owner.http.get(`${PATH}/revisions`);
  expect(revisions.body['total_count']).toBe(2);
});

test('a path is activated only by a caller who still may when it is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: granted('escalation_path.activate'),
    call: (client) =>
      client.post(`${PATH}/revisions/1/activate`, undefined, { headers: { 'if-match': '"0"' } }),
  });
});

test('a path is archived only by a caller who still may when it is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: granted('escalation_path.activate'),
    call: (client) => client.delete(PATH),
  });
});
