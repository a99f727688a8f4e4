/** Provisioner tokens of agents. */
import { z } from 'zod';
import {
  issueProvisioner,
  revokeProvisioner,
} from '../../src/services/agents/agent-provisioners.ts';
import {
  agentProvisionerExample,
  agentProvisionerSchema,
  presentAgentProvisioner,
} from './agent-instances-schema.ts';
import { agentParams } from './agents.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { absentIfNull, timestampInput, uuid } from '../http/schema.ts';

const TAG = 'Agent credentials';

const issueAgentProvisionerEndpoint = defineEndpoint({
  operationId: 'issueAgentProvisioner',
  method: 'post',
  path: '/api/v1/agents/{slug}/provisioners',
  tag: TAG,
  summary: 'Issue a provisioner token',
  description:
    'A fleet presents the token to `POST /api/aap/v1/instances`, which makes an instance of this agent for each replica. The token opens nothing else. It appears only in this response; the service stores a hash. A session must be recently authenticated. The body may be empty.',
  auth: 'product',
  permission: 'agent.credential.issue',
  permissionAt: (params) => ({ kind: 'agent', slug: params.slug }),
  params: agentParams,
  body: z.strictObject({
    expires_at: absentIfNull(
      timestampInput(
        'When the token stops working; must be in the future. When absent or null, or later than the limit of the deployment, it is that limit: 365 days by default.',
      ),
    ),
  }),
  bodyOptional: true,
  requestExample: { expires_at: '2027-01-01T00:00:00Z' },
  success: {
    status: 201,
    description: 'The record of the token, and the token. The token is shown only once.',
    body: z.strictObject({
      provisioner: agentProvisionerSchema.meta({ description: 'The record of the token.' }),
      token: z.string().meta({ description: 'The bearer token `whp_<id>_<secret>`.' }),
    }),
    example: {
      provisioner: agentProvisionerExample,
      token: 'whp_0198f3a2-7d10-7a44-9c2e-5e6f70819203_<secret>',
    },
  },
  errors: ['mfa_required', 'reauthentication_required', 'agent_archived', 'demo_agent'],
  handler: async ({ principal, params, body }, context) => {
    const { provisioner, token } = await issueProvisioner(context, principal, {
      agentSlug: params.slug,
      expiresAt: body.expires_at,
    });
    return { body: { provisioner: presentAgentProvisioner(provisioner), token } };
  },
});

const revokeAgentProvisionerEndpoint = defineEndpoint({
  operationId: 'revokeAgentProvisioner',
  method: 'delete',
  path: '/api/v1/agent-provisioners/{id}',
  tag: TAG,
  summary: 'Revoke a provisioner token',
  description:
    'The token stops working at once and permanently. Instances that it made keep their credentials. Revoking it again changes nothing. Requires the permission for its agent.',
  auth: 'product',
  permission: 'agent.credential.revoke',
  permissionAt: () => ({ kind: 'any' }),
  params: z.strictObject({ id: uuid('Identity of the provisioner token.') }),
  success: { status: 204, description: 'The token is revoked.' },
  errors: [],
  handler: async ({ principal, params }, context) => {
    await revokeProvisioner(context, principal, params.id);
    return {};
  },
});

export const agentProvisionerEndpoints: readonly Endpoint[] = [
  issueAgentProvisionerEndpoint,
  revokeAgentProvisionerEndpoint,
];
