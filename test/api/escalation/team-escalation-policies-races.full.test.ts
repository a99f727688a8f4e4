/** Changes of teams' escalation policies by callers who lose their access at that moment. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import { outcome } from '../../support/refusals.ts';
import { beforeTransaction } from '../../support/gates.ts';
import {
  activatePolicy,
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { TEAMS } from '../../support/scene/teams.ts';
import { expectRecheck, startHosted } from '../../support/withdrawals.ts';

const EVERYONE = {
  nodes: [
    { id: randomUUID(), type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '5m' },
  ],
};

let app: TestApp;
let organization: TestOrganization;
let team: string;
let at: string;

beforeAll(async () => {
  app = await startHosted();
});
afterAll(() => app.close());
beforeEach(async () => {
  organization = await createOrganization(app);
  team = await createTeam(app, organization.id);
  at = `${TEAMS}/${team}/escalation-policy`;
});

const onTeam = (permission: string): Policy => ({
  scope_kind: 'team',
  resource_ids: [team],
  permissions: [permission],
});

test('a policy is written only by a caller who still may when the team is locked', async () => {
  await expectRecheck({
    app,
    organization,
    policy: onTeam('team.escalation.write'),
    call: (client) => client.post(`${at}/revisions`, EVERYONE),
  });
  const revisions = await organization.owner.http.get(`${at}/revisions`);
  expect(revisions.body['total_count']).toBe(1);
});

test('a policy is activated only by a caller who still may when the team is locked', async () => {
  const { http } = organization.owner;
  expect((await http.post(`${at}/revisions`, EVERYONE)).status).toBe(201);
  await expectRecheck({
    app,
    organization,
    policy: onTeam('team.escalation.activate'),
    call: (client) =>
      client.post(`${at}/revisions/1/activate`, undefined, { headers: { 'if-match': '"0"' } }),
  });
});

test('a policy is deactivated only by a caller who still may when the team is locked', async () => {
  await activatePolicy(organization.owner, team, EVERYONE);
  await expectRecheck({
    app,
    organization,
    policy: onTeam('team.escalation.activate'),
    call: (client) => client.call('DELETE', `${at}/active`, { headers: { 'if-match': '"1"' } }),
  });
});

test('a caller whose session ends meanwhile does not read that the team was archived', async () => {
  const member = await createMember(app, organization.id, {
    policies: [onTeam('team.escalation.write')],
  });
  const answer = await beforeTransaction(
    app,
    async () => {
      await organization.owner.browser.delete(`${TEAMS}/${team}`);
      await member.browser.post('/auth/logout');
    },
    () => member.browser.post(`${at}/revisions`, EVERYONE),
  );
  expect(outcome(answer)).toBe('401 authentication_required');
});
