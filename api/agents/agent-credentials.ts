/** Agent instances and their credentials. */
import { z } from 'zod';
import {
  createAgentInstance,
  issueFurtherCredential,
  revokeCredential,
} from '../../src/services/agents/agent-credentials.ts';
import {
  instanceMetadata,
  instanceWithCredentialExample,
  instanceWithCredentialSchema,
  issuedCredentialSchema,
  presentInstanceWithCredential,
  presentIssuedCredential,
  ttlSeconds,
} from './agent-instances-schema.ts';
import { agentParams } from './agents.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { uniqueLabel, uuid } from '../http/schema.ts';

const TAG = 'Agent credentials';
const createAgentInstanceEndpoint = defineEndpoint({
  operationId: 'createAgentInstance',
  method: 'post',
  path: '/api/v1/agents/{slug}/instances',
  tag: TAG,
  summary: 'Create an agent instance with a credential',
  description:
    'The credential is bound to the new instance. Its token appears only in this response; the service stores a hash. A session must be recently authenticated.',
  auth: 'product',
  permission: 'agent.credential.issue',
  permissionAt: (params) => ({ kind: 'agent', slug: params.slug }),
  params: agentParams,
  body: z.strictObject({
    name: uniqueLabel('Name of the instance, unique within the agent.'),
    metadata: instanceMetadata.optional(),
    ttl_seconds: ttlSeconds.optional(),
  }),
  exact: ['metadata'],
  bodyLimit: BODY_BYTES.metadata,
  requestExample: { name: 'runner-1', metadata: { host: 'ci-7' }, ttl_seconds: 86400 },
  success: {
    status: 201,
    description: 'The instance and its credential.',
    body: instanceWithCredentialSchema,
    example: instanceWithCredentialExample,
  },
  errors: [
    'mfa_required',
    'reauthentication_required',
    'agent_archived',
    'demo_agent',
    'instance_name_taken',
  ],
  handler: async ({ principal, params, body }, context) => {
    const created = await createAgentInstance(context, principal, {
      agentSlug: params.slug,
      name: body.name,
      metadata: body.metadata,
      ttlSeconds: body.ttl_seconds,
    });
    return { body: presentInstanceWithCredential(created) };
  },
});

const issueAgentCredentialEndpoint = defineEndpoint({
  operationId: 'issueAgentCredential',
  method: 'post',
  path: '/api/v1/agent_instances/{id}/credentials',
  tag: TAG,
  summary: 'Issue a further credential of an agent instance',
  description:
    'For changing the credential of an instance without a pause: both work until you revoke the earlier one. The instance keeps its requests. The token appears only in this response; the service stores a hash. A session must be recently authenticated. Requires the permission for its agent. The body may be empty.',
  auth: 'product',
  permission: 'agent.credential.issue',
  permissionAt: () => ({ kind: 'any' }),
  params: z.strictObject({ id: uuid('Identity of the instance.') }),
  body: z.strictObject({ ttl_seconds: ttlSeconds.optional() }),
  bodyOptional: true,
  requestExample: { ttl_seconds: 86400 },
  success: {
    status: 201,
    description: 'The new credential.',
    body: z.strictObject({
      credential: issuedCredentialSchema.meta({ description: 'The credential with its secret.' }),
    }),
    example: { credential: instanceWithCredentialExample.credential },
  },
  errors: ['mfa_required', 'reauthentication_required', 'agent_archived', 'demo_agent'],
  handler: async ({ principal, params: { id }, body }, context) => {
    const wanted = { instanceId: id, ttlSeconds: body.ttl_seconds };
    const credential = await issueFurtherCredential(context, principal, wanted);
    return { body: { credential: presentIssuedCredential(credential) } };
  },
});

const revokeAgentCredentialEndpoint = defineEndpoint({
  operationId: 'revokeAgentCredential',
  method: 'delete',
  path: '/api/v1/agent-credentials/{id}',
  tag: TAG,
  summary: 'Revoke an agent credential',
  description:
    'The credential stops working at once and permanently. Revoking it again changes nothing. Requires the permission for its agent.',
  auth: 'product',
  permission: 'agent.credential.revoke',
  permissionAt: () => ({ kind: 'any' }),
  params: z.strictObject({ id: uuid('Identity of the credential.') }),
  success: { status: 204, description: 'The credential is revoked.' },
  errors: [],
  handler: async ({ principal, params }, context) => {
    await revokeCredential(context, principal, params.id);
    return {};
  },
});

export const agentCredentialEndpoints: readonly Endpoint[] = [
  createAgentInstanceEndpoint,
  issueAgentCredentialEndpoint,
  revokeAgentCredentialEndpoint,
];
