/** Changes of pipelines by callers who lose their access at that moment. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import {
  createAgent,
  createOrganization,
  type Policy,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { granted, onAgents } from '../../support/scene/permission-policies.ts';
import { BASE, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';
import { expectRecheck, startHosted } from '../../support/withdrawals.ts';

let app: TestApp;
let organization: TestOrganization;
let agentSlug: string;

beforeAll(async () => {
  app = await startHosted();
  organization = await createOrganization(app);
  agentSlug = (await createAgent(app, organization)).slug;
});
afterAll(() => app.close());

const PIPELINES: readonly (readonly [
  string,
  () => string,
  (...permissions: string[]) => Policy,
])[] = [
  ["the organization's pipeline", () => ORGANIZATION, granted],
  [
    "an agent's pipeline",
    () => `${BASE}/agents/${agentSlug}`,
    (...permissions) => onAgents([agentSlug], ...permissions),
  ],
];

describe.each(PIPELINES)('%s', (_which, at, policy) => {
  const create = () => organization.owner.http.post(`${at()}/revisions`, { blocks: [] });

  test('has a new revision only by a caller who still may when it is locked', async () => {
    await expectRecheck({
      app,
      organization,
      policy: policy('pipeline.write'),
      call: (client) => client.post(`${at()}/revisions`, { blocks: [] }),
    });
    const revisions = await organization.owner.http.get(`${at()}/revisions`);
    expect(revisions.body['total_count']).toBe(2);
  });

  test('is activated only by a caller who still may when it is locked', async () => {
    const revision = Number((await create()).body['revision']);
    await expectRecheck({
      app,
      organization,
      policy: policy('pipeline.activate'),
      call: (client) =>
        client.post(`${at()}/revisions/${revision}/activate`, undefined, {
          headers: { 'if-match': '"1"' },
        }),
    });
  });
});
