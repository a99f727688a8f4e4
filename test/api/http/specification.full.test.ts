/** Every operation of the specification of the interface is served: the table is its list. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import type { ApiResponse } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';

type Operation = readonly [
  method: string,
  path: string,
  /** Empty where it needs none. */
  permission: string,
  edition?: 'hosted',
];

const hosted = 'hosted';
const OPERATIONS: readonly Operation[] = [
  ['POST', '/auth/agent_enrollments', ''],
  ['POST', '/auth/agent_enrollments/token', ''],
  ['POST', '/api/aap/v1/instances', ''],
  ['POST', '/api/aap/v1/requests', 'request.create'],
  ['GET', '/api/aap/v1/requests/{id}', 'request.read'],
  ['DELETE', '/api/aap/v1/requests/{id}', 'request.create'],
  ['GET', '/api/v1/requests', 'request.read'],
  ['GET', '/api/v1/requests/{id}', 'request.read'],
  ['POST', '/api/v1/requests/{id}/claim', 'request.claim'],
  // The specification names no permission. The service asks for the one of claiming.
  ['DELETE', '/api/v1/requests/{id}/claim', 'request.claim'],
  ['POST', '/api/v1/requests/{id}/decision', 'request.decide'],
  ['GET', '/api/v1/me', ''],
  ['GET', '/api/v1/agents', 'agent.read'],
  ['POST', '/api/v1/agents', 'agent.write'],
  ['GET', '/api/v1/agents/{slug}', 'agent.read'],
  ['GET', '/api/v1/request-approval-pipelines', 'pipeline.read'],
  ['GET', '/api/v1/request-approval-pipelines/organization', 'pipeline.read'],
  ['POST', '/api/v1/request-approval-pipelines/organization/preview', 'pipeline.write'],
  ['GET', '/api/v1/escalation-paths', 'escalation_path.read'],
  ['POST', '/api/v1/escalation-paths', 'escalation_path.write'],
  ['GET', '/api/v1/escalation-paths/{path_key}', 'escalation_path.read'],
  ['GET', '/api/v1/webhook_endpoints', 'webhook.read'],
  ['GET', '/api/v1/webhook_endpoints/{endpoint_key}', 'webhook.read'],
  ['GET', '/api/v1/webhook_endpoints/{endpoint_key}/revisions', 'webhook.read'],
  ['POST', '/api/v1/webhook_endpoints/{endpoint_key}/revisions', 'webhook.write'],
  ['GET', '/api/v1/webhook_endpoints/{endpoint_key}/revisions/{revision}', 'webhook.read'],
  ['GET', '/api/v1/members', 'membership.read'],
  ['PATCH', '/api/v1/members/{id}', 'membership.write'],
  ['DELETE', '/api/v1/members/{id}', 'membership.write'],
  ['GET', '/api/v1/permissions', 'permission_policy.read'],
  ['GET', '/api/v1/members/{id}/permission_policies', 'permission_policy.read'],
  ['POST', '/api/v1/members/{id}/permission_policies', 'permission_policy.write'],
  ['GET', '/api/v1/teams', 'team.read'],
  ['POST', '/api/v1/teams', 'team.write'],
  ['GET', '/api/v1/teams/{id}', 'team.read'],
  ['PATCH', '/api/v1/teams/{id}', 'team.write'],
  ['DELETE', '/api/v1/teams/{id}', 'team.write'],
  ['PUT', '/api/v1/teams/{id}/members', 'team.member.write'],
  ['GET', '/api/v1/invitations', 'membership.invite'],
  ['POST', '/api/v1/invitations', 'membership.invite'],
  ['POST', '/api/v1/invitations/{id}/resend', 'membership.invite'],
  ['DELETE', '/api/v1/invitations/{id}', 'membership.invite'],
  ['POST', '/api/v1/oauth_authorizations/preview', ''],
  ['POST', '/api/v1/oauth_authorizations', 'api_key.issue'],
  ['GET', '/api/v1/me/api_keys', ''],
  ['POST', '/api/v1/me/api_keys', 'api_key.issue'],
  ['GET', '/api/v1/api_keys/verify', ''],
  ['GET', '/api/v1/audit', 'audit.read', hosted],
  ['GET', '/api/v1/audit/{id}', 'audit.read', hosted],
  ['GET', '/api/v1/audit/event_types', 'audit.read', hosted],
  ['GET', '/api/v1/tool_catalog', 'agent.read'],
  ['GET', '/api/v1/tool_catalog/{id}', 'agent.read'],
  ['POST', '/api/v1/agents/{slug}/instances', 'agent.credential.issue'],
  ['POST', '/api/v1/agents/{slug}/provisioners', 'agent.credential.issue'],
  ['DELETE', '/api/v1/agent-provisioners/{id}', 'agent.credential.revoke'],
  ['DELETE', '/api/v1/agent-credentials/{id}', 'agent.credential.revoke'],
  ['PATCH', '/api/v1/agents/{slug}', 'agent.write'],
  ['DELETE', '/api/v1/agents/{slug}', 'agent.write'],
  ['POST', '/api/v1/agents/{slug}/restore', 'agent.write'],
  ['PATCH', '/api/v1/agent_instances/{id}', 'agent.write'],
  ['GET', '/api/v1/request-approval-pipelines/organization/revisions', 'pipeline.read'],
  ['GET', '/api/v1/request-approval-pipelines/organization/revisions/{revision}', 'pipeline.read'],
  ['GET', '/api/v1/request-approval-pipelines/agents/{agent_slug}', 'pipeline.read'],
  ['GET', '/api/v1/request-approval-pipelines/agents/{agent_slug}/revisions', 'pipeline.read'],
  [
    'GET',
    '/api/v1/request-approval-pipelines/agents/{agent_slug}/revisions/{revision}',
    'pipeline.read',
  ],
  ['POST', '/api/v1/request-approval-pipelines/organization/revisions', 'pipeline.write'],
  ['POST', '/api/v1/request-approval-pipelines/agents/{agent_slug}/revisions', 'pipeline.write'],
  ['POST', '/api/v1/request-approval-pipelines/agents/{agent_slug}/preview', 'pipeline.write'],
  [
    'POST',
    '/api/v1/request-approval-pipelines/organization/revisions/{revision}/activate',
    'pipeline.activate',
  ],
  [
    'POST',
    '/api/v1/request-approval-pipelines/agents/{agent_slug}/revisions/{revision}/activate',
    'pipeline.activate',
  ],
  ['GET', '/api/v1/escalation-paths/{path_key}/revisions', 'escalation_path.read'],
  ['GET', '/api/v1/escalation-paths/{path_key}/revisions/{revision}', 'escalation_path.read'],
  ['POST', '/api/v1/escalation-paths/{path_key}/revisions', 'escalation_path.write'],
  ['DELETE', '/api/v1/escalation-paths/{path_key}', 'escalation_path.activate'],
  [
    'POST',
    '/api/v1/escalation-paths/{path_key}/revisions/{revision}/activate',
    'escalation_path.activate',
  ],
  ['GET', '/api/v1/teams/{id}/escalation-policy', 'team.read'],
  ['GET', '/api/v1/teams/{id}/escalation-policy/revisions', 'team.read'],
  ['GET', '/api/v1/teams/{id}/escalation-policy/revisions/{revision}', 'team.read'],
  ['POST', '/api/v1/teams/{id}/escalation-policy/revisions', 'team.escalation.write'],
  [
    'POST',
    '/api/v1/teams/{id}/escalation-policy/revisions/{revision}/activate',
    'team.escalation.activate',
  ],
  ['DELETE', '/api/v1/teams/{id}/escalation-policy/active', 'team.escalation.activate'],
  ['GET', '/api/v1/requests/{id}/routing', 'request.read'],
  ['GET', '/api/v1/requests/{id}/timeline', 'request.read'],
  ['GET', '/api/v1/requests/{id}/reviewer-candidates', 'request.decide'],
  ['POST', '/api/v1/requests/{id}/reviewers', 'request.decide'],
  ['GET', '/api/v1/webhook_endpoints/{endpoint_key}/uses', 'webhook.read'],
  [
    'POST',
    '/api/v1/webhook_endpoints/{endpoint_key}/revisions/{revision}/activate',
    'webhook.write',
  ],
  ['POST', '/api/v1/webhook_endpoints/{endpoint_key}/revisions/{revision}/test', 'webhook.write'],
  ['DELETE', '/api/v1/webhook_endpoints/{endpoint_key}/active', 'webhook.write'],
  ['POST', '/api/v1/webhook_endpoints/{endpoint_key}/rotate_secret', 'webhook.write'],
  ['GET', '/api/v1/api_keys', 'api_key.read'],
  ['GET', '/api/v1/api_keys/{id}', 'api_key.read'],
  ['DELETE', '/api/v1/api_keys/{id}', 'api_key.revoke'],
  ['POST', '/api/v1/api_keys', 'api_key.organization.issue', hosted],
  ['GET', '/api/v1/api_keys/options', 'api_key.organization.issue', hosted],
  ['PUT', '/api/v1/members/{id}/permission_policies/{policy_id}', 'permission_policy.write'],
  ['DELETE', '/api/v1/members/{id}/permission_policies/{policy_id}', 'permission_policy.write'],
  ['POST', '/api/v1/teams/{id}/permission_policies', 'permission_policy.write'],
  ['PUT', '/api/v1/teams/{id}/permission_policies/{policy_id}', 'permission_policy.write'],
  ['DELETE', '/api/v1/teams/{id}/permission_policies/{policy_id}', 'permission_policy.write'],
  ['POST', '/api/v1/api_keys/{id}/permission_policies', 'permission_policy.write', hosted],
  [
    'PUT',
    '/api/v1/api_keys/{id}/permission_policies/{policy_id}',
    'permission_policy.write',
    hosted,
  ],
  [
    'DELETE',
    '/api/v1/api_keys/{id}/permission_policies/{policy_id}',
    'permission_policy.write',
    hosted,
  ],
  ['GET', '/api/v1/agents/{slug}/tool-access', 'gateway.read', hosted],
  ['PUT', '/api/v1/agents/{slug}/tool-access/{server_slug}', 'gateway.write', hosted],
];

const nameOf = ([method, path]: readonly [string, string, ...unknown[]]) => `${method} ${path}`;
/** Those that the specification keeps from API keys. */
const BROWSER_ONLY = [
  'POST /api/v1/invitations',
  'POST /api/v1/invitations/{id}/resend',
  'POST /api/v1/oauth_authorizations/preview',
  'POST /api/v1/oauth_authorizations',
  'GET /api/v1/me/api_keys',
  'POST /api/v1/me/api_keys',
];

const editions = {
  open: await appForFile(),
  hosted: await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } }),
};

test('the list has each operation once', () => {
  expect(new Set(OPERATIONS.map(nameOf)).size).toBe(OPERATIONS.length);
  expect(OPERATIONS.length).toBe(105);
});

test.each(OPERATIONS.map((operation) => [nameOf(operation), operation] as const))(
  '%s is declared with its permission and its edition',
  (name, [, , permission, edition]) => {
    const declared = endpoints.filter(
      ({ method, path }) => `${method.toUpperCase()} ${path}` === name,
    );
    expect(declared).toHaveLength(1);
    const [endpoint] = declared;
    expect(endpoint?.edition).toBe(edition);
    expect(endpoint?.permission ?? '').toBe(permission);
    if (BROWSER_ONLY.includes(name)) expect(endpoint?.auth).toBe('session');
  },
);

/** Refused by the operation, not because there is none. */
const isServed = ({ status, body }: ApiResponse) =>
  status !== 405 &&
  (status !== 404 || body?.['error']?.['message'] !== 'There is nothing at this path.');

test.each(['open', 'hosted'] as const)('all are there in the %s edition', async (edition) => {
  const app = editions[edition];
  const missing: string[] = [];
  for (const [method, path] of OPERATIONS) {
    const answer = await app.http.call(method, path.replaceAll(/\{\w+\}/g, '1'));
    if (!isServed(answer)) missing.push(nameOf([method, path]));
    if (!path.startsWith('/auth/'))
      expect([nameOf([method, path]), answer.status]).toEqual([nameOf([method, path]), 401]);
  }
  expect(missing).toEqual([]);
  expect(isServed(await app.http.get('/api/v1/no-such-operation'))).toBe(false);
  expect((await app.http.get('/api/openapi.yaml')).text).toMatch(/^openapi: 3\.1/m);
});

test('an owner finds those of the hosted edition there, and 404 in the open one', async () => {
  for (const [edition, app] of Object.entries(editions)) {
    const { owner } = await createOrganization(app);
    for (const operation of OPERATIONS.filter(([, , , only]) => only === hosted)) {
      const [method, path] = operation;
      // The bodies and ids that follow are none: in the hosted edition the operation says so itself.
      const { status, body } = await owner.browser.call(method, path.replaceAll(/\{\w+\}/g, 'x'));
      const refused = status === 404 && body?.['error']?.['message'] === NOT_FOUND;
      if (edition === 'open') expect([nameOf(operation), status]).toEqual([nameOf(operation), 404]);
      else if (!path.includes('{'))
        expect([nameOf(operation), refused]).toEqual([nameOf(operation), false]);
    }
  }
});

const NOT_FOUND = 'The resource does not exist, or you do not have access to it.';
