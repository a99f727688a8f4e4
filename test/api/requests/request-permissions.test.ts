/** Reviewers without the permission for a request's agent, and reviewers who hold it but were not asked. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type Policy,
  type TestAgent,
  type TestMember,
} from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';

const ALL = ['request.read', 'request.claim', 'request.decide'];

const app = await appForFile();
let asked: TestAgent;
let id: string;
let someone: (...policies: Policy[]) => Promise<TestMember>;

beforeAll(async () => {
  const organization = await createOrganization(app);
  asked = await createAgent(app, organization);
  const other = await createAgent(app, organization);
  someone = (...policies) => createMember(app, organization.id, { policies });
  elsewhere = { scope_kind: 'agent', resource_ids: [other.slug], permissions: ALL };
  const level = {
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'user', id: organization.owner.membershipId }],
    escalate_after: '15m',
  };
  await activatePath(organization.owner, { path_key: 'owner', name: 'Owner', nodes: [level] });
  await activatePipeline(organization.owner, 'organization', {
    default_escalation_path: 'owner',
    blocks: [
      { id: 'ask', name: 'Ask', type: 'always', config: { outcome: 'human', reason: 'Ask.' } },
    ],
  });
  id = await ask(app, asked);
});
let elsewhere: Policy;

interface Operation {
  readonly permission: string;
  readonly call: (member: TestMember) => Promise<ApiResponse>;
}

const operations: Readonly<Record<string, Operation>> = {
  get: { permission: 'request.read', call: ({ http }) => http.get(`/api/v1/requests/${id}`) },
  wait: {
    permission: 'request.read',
    call: ({ http }) => http.get(`/api/v1/requests/${id}?wait=1s`),
  },
  routing: {
    permission: 'request.read',
    call: ({ http }) => http.get(`/api/v1/requests/${id}/routing`),
  },
  timeline: {
    permission: 'request.read',
    call: ({ http }) => http.get(`/api/v1/requests/${id}/timeline`),
  },
  claim: {
    permission: 'request.claim',
    call: ({ http }) => http.post(`/api/v1/requests/${id}/claim`),
  },
  release: {
    permission: 'request.claim',
    call: ({ http }) => http.delete(`/api/v1/requests/${id}/claim`),
  },
  decide: {
    permission: 'request.decide',
    call: ({ http }) =>
      http.post(
        `/api/v1/requests/${id}/decision`,
        { status: 'approved' },
        { headers: { 'idempotency-key': randomUUID() } },
      ),
  },
  candidates: {
    permission: 'request.decide',
    call: ({ http }) => http.get(`/api/v1/requests/${id}/reviewer-candidates`),
  },
  reviewers: {
    permission: 'request.decide',
    call: (member) =>
      member.http.post(`/api/v1/requests/${id}/reviewers`, {
        membership_ids: [member.membershipId],
      }),
  },
};

const refusalOf = ({ status, body }: ApiResponse) => ({
  status,
  code: body['error']?.['code'],
  details: body['error']?.['details'],
});

describe.each(Object.entries(operations))('%s', (_name, { permission, call }) => {
  test('without the permission anywhere is permission_denied', async () => {
    const member = await someone();
    expect(refusalOf(await call(member))).toEqual({
      status: 403,
      code: 'permission_denied',
      details: { permission, scope_kind: 'organization', reason: 'missing_permission' },
    });
  });

  test('with the permission for another agent only is permission_denied, and does not name the agent', async () => {
    const member = await someone(elsewhere);
    expect(refusalOf(await call(member))).toEqual({
      status: 403,
      code: 'permission_denied',
      details: { permission, scope_kind: 'agent', reason: 'outside_scope' },
    });
  });

  test('names the agent to callers who may see it', async () => {
    const member = await someone(elsewhere, {
      scope_kind: 'organization',
      permissions: ['agent.read'],
    });
    expect(refusalOf(await call(member))).toEqual({
      status: 403,
      code: 'permission_denied',
      details: {
        permission,
        scope_kind: 'agent',
        scope_id: asked.slug,
        reason: 'outside_scope',
      },
    });
  });

  test('with the permission for the agent, but routed to others, is request_not_routed', async () => {
    const member = await someone({
      scope_kind: 'agent',
      resource_ids: [asked.slug],
      permissions: ALL,
    });
    expect(refusalOf(await call(member))).toEqual({
      status: 403,
      code: 'request_not_routed',
      details: undefined,
    });
  });
});

test('the list without the permission is permission_denied', async () => {
  const member = await someone();
  expect(refusalOf(await member.http.get('/api/v1/requests'))).toEqual({
    status: 403,
    code: 'permission_denied',
    details: {
      permission: 'request.read',
      scope_kind: 'organization',
      reason: 'missing_permission',
    },
  });
});

test('a decision without a second factor, where one is required, is mfa_required', async () => {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const requestId = await ask(app, agent);
  await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
  const answer = await organization.owner.http.post(
    `/api/v1/requests/${requestId}/decision`,
    { status: 'approved' },
    { headers: { 'idempotency-key': randomUUID() } },
  );
  expect(refusalOf(answer)).toMatchObject({ status: 403, code: 'mfa_required' });
});
