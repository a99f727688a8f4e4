/** Agent instances and their credentials. */
import type { AgentInstance } from '../../src/domain/agents/agent-instances.ts';
import { z } from 'zod';
import {
  createAgentInstance,
  revokeCredential,
} from '../../src/services/agents/agent-credentials.ts';
import { compareDecimals, ExactNumber } from '../../src/platform/json/exact-values.ts';
import { agentParams } from './agents.ts';
import { present } from '../http/present.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { exactObject, label, slug, timestamp, uuid } from '../http/schema.ts';

const TAG = 'Agent credentials';
const MAX_METADATA_BYTES = 64 * 1024;

const agentInstanceSchema = z
  .strictObject({
    id: uuid('Identity of the instance.'),
    organization_id: uuid('Organization the instance belongs to.'),
    agent_slug: slug('Agent the instance runs.'),
    name: z.string().meta({ description: 'Name of the instance, unique within its agent.' }),
    status: z
      .enum(['active', 'disabled'])
      .meta({ description: 'A disabled instance cannot authenticate.' }),
    metadata: exactObject('The JSON object stored at creation, digit for digit.'),
    created_at: timestamp('When the instance was created.'),
    last_seen_at: timestamp(
      'When the instance last called the service, to the minute. Before the first call, its creation time.',
    ),
  })
  .meta({
    id: 'AgentInstance',
    description: 'One running copy of an agent. Requests and credentials belong to it.',
  });

const issuedCredentialSchema = z
  .strictObject({
    id: uuid('Identity of the credential.'),
    token: z
      .string()
      .meta({ description: 'The secret bearer token, `whc_…`. Shown only in this answer.' }),
    expires_at: timestamp('When the token stops working.'),
  })
  .meta({ id: 'IssuedCredential', description: 'A new credential with its secret.' });

const presentAgentInstance = (instance: AgentInstance) => present(agentInstanceSchema, instance);

const metadata = exactObject(
  'Free-form JSON about the instance, at most 64 KiB. It is stored exactly as sent.',
).refine((json) => Buffer.byteLength(json.text) <= MAX_METADATA_BYTES, {
  error: 'must be at most 64 KiB of JSON',
});

/** A whole number of any size from 0. A number too large for a double counts as infinite. */
const ttlSeconds = z
  .custom<number | ExactNumber>(
    (value) => {
      if (value instanceof ExactNumber)
        return /^[0-9]+$/.test(value.source) && compareDecimals(value, 0) >= 0;
      return typeof value === 'number' && Number.isInteger(value) && value >= 0;
    },
    { error: 'must be a whole number of seconds, 0 or more' },
  )
  .meta({
    description:
      'Lifetime of the credential in seconds. Absent or 0 means the default; a larger value is reduced to it.',
    override: { type: 'integer', format: 'int64', minimum: 0 },
  })
  .transform((value) => (value instanceof ExactNumber ? Infinity : value));

const createAgentInstanceEndpoint = defineEndpoint({
  operationId: 'createAgentInstance',
  method: 'post',
  path: '/api/v1/agents/{slug}/instances',
  tag: TAG,
  summary: 'Create an agent instance with a credential',
  description:
    'The credential is bound to the new instance. Its token appears only in this answer; the service stores a hash.',
  auth: 'product',
  permission: 'agent.credential.issue',
  permissionAt: (params) => ({ kind: 'agent', slug: params.slug }),
  params: agentParams,
  body: z.strictObject({
    name: label('Name of the instance, unique within the agent.'),
    metadata: metadata.optional(),
    ttl_seconds: ttlSeconds.optional(),
  }),
  exact: ['metadata'],
  bodyLimit: BODY_BYTES.metadata,
  requestExample: { name: 'runner-1', metadata: { host: 'ci-7' }, ttl_seconds: 86400 },
  success: {
    status: 201,
    description: 'The instance and its credential.',
    body: z.strictObject({
      agent_instance: agentInstanceSchema.meta({ description: 'The new instance.' }),
      credential: issuedCredentialSchema.meta({ description: 'Its credential.' }),
    }),
    example: {
      agent_instance: {
        id: '0198f3a2-6c00-7d11-a0b1-3c4d5e6f7081',
        organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
        agent_slug: 'deploy-bot',
        name: 'runner-1',
        status: 'active',
        metadata: { host: 'ci-7' },
        created_at: '2026-03-02T09:20:00.000Z',
        last_seen_at: '2026-03-02T09:20:00.000Z',
      },
      credential: {
        id: '0198f3a2-6c01-7e22-b1c2-4d5e6f708192',
        token: 'whc_0198f3a2-6c01-7e22-b1c2-4d5e6f708192_<secret>',
        expires_at: '2026-03-03T09:20:00.000Z',
      },
    },
  },
  errors: ['agent_archived', 'instance_name_taken'],
  handler: async ({ principal, params, body }, context) => {
    const { instance, credential } = await createAgentInstance(context, principal, {
      agentSlug: params.slug,
      name: body.name,
      metadata: body.metadata,
      ttlSeconds: body.ttl_seconds,
    });
    const issued = { id: credential.id, token: credential.token, expires_at: credential.expiresAt };
    return { body: { agent_instance: presentAgentInstance(instance), credential: issued } };
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
  revokeAgentCredentialEndpoint,
];
