/** A team of two reviewers, and the calls that read and change its escalation policy. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import type { HttpClient } from '../../support/http.ts';
import {
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { user } from '../../support/scene/nodes.ts';
import { TEAMS } from '../../support/scene/teams.ts';

export const NODE = '11111111-1111-4111-8111-111111111111';
export const EVERYONE = { type: 'broadcast' };
export const DECIDES: Policy = { scope_kind: 'organization', permissions: ['request.decide'] };

export const level = (
  targets: object[] = [EVERYONE],
  id: string = randomUUID(),
  escalateAfter = '5m',
) => ({ id, type: 'level', targets, escalate_after: escalateAfter });

/** A policy that asks these members at once. */
export const asks = (...members: TestMember[]) => ({ nodes: [level(members.map(user))] });

export interface PolicyTeam {
  readonly organization: TestOrganization;
  readonly owner: TestMember;
  readonly ada: TestMember;
  readonly bob: TestMember;
  readonly teamId: string;
}

/** A new organization with a team of Ada and Bob, who may decide. */
export async function createPolicyTeam(app: TestApp): Promise<PolicyTeam> {
  const organization = await createOrganization(app);
  const person = (displayName: string) =>
    createMember(app, organization.id, { displayName, policies: [DECIDES] });
  const ada = await person('Ada');
  const bob = await person('Bob');
  const teamId = await createTeam(app, organization.id, { name: 'Platform', members: [ada, bob] });
  return { organization, owner: organization.owner, ada, bob, teamId };
}

/** `current`: the team of the test that runs. Calls are by its owner, or by `client`. */
export function policyCalls(
  app: TestApp,
  current: () => Pick<PolicyTeam, 'organization' | 'owner' | 'teamId'>,
) {
  const at = (id = current().teamId) => `${TEAMS}/${id}/escalation-policy`;
  const byOwner = (): HttpClient => current().owner.http;
  const matching = (ifMatch: string) => ({ headers: { 'if-match': ifMatch } });
  return {
    at,
    read: (client = byOwner()) => client.get(at()),
    create: (document: unknown, client = byOwner()) => client.post(`${at()}/revisions`, document),
    activate: (revision: number, ifMatch: string, client = byOwner()) =>
      client.post(`${at()}/revisions/${revision}/activate`, undefined, matching(ifMatch)),
    deactivate: (ifMatch: string, client = byOwner()) =>
      client.call('DELETE', `${at()}/active`, matching(ifMatch)),
    /** What the team shows of its policy. */
    shown: async () =>
      (await byOwner().get(`${TEAMS}/${current().teamId}`)).body['team']?.[
        'escalation_policy'
      ] as unknown,
    /** Type and data of the team's audit events, oldest first. Each must be by the owner's key. */
    events: async (subjectType = 'team_escalation_policy'): Promise<unknown[]> => {
      const { organization, owner, teamId } = current();
      const rows = await app
        .db('audit_events')
        .where({ organization_id: organization.id, subject_type: subjectType, subject_id: teamId })
        .orderBy('sequence')
        .select<{ event_type: string; data: string }[]>('event_type', 'data');
      return rows.map(({ event_type, data: text }) => {
        const { actor_api_key_id: key, ...data } = JSON.parse(text) as Record<string, unknown>;
        expect(key).toBe(owner.apiKeyId);
        return [event_type, data];
      });
    },
  };
}
