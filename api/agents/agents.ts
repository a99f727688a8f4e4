/** Agents. */
import type { Agent } from '../../src/domain/agents/agents.ts';
import { z } from 'zod';
import { createAgent, getAgent, listVisibleAgents } from '../../src/services/agents/agents.ts';
import { present } from '../http/present.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  cursorQuery,
  label,
  limitQuery,
  nextCursor,
  slug,
  timestamp,
  uuid,
} from '../http/schema.ts';

const TAG = 'Agents';

export const agentParams = z.strictObject({ slug: slug('Slug of the agent.') });

const agentSchema = z
  .strictObject({
    slug: slug(
      'Identity of the agent. It never changes and is never reused, even after archiving.',
    ),
    organization_id: uuid('Organization the agent belongs to.'),
    created_by_actor_id: uuid('Membership or organization key that created the agent.'),
    name: z
      .string()
      .meta({ description: 'Display name, unique among the live agents of the organization.' }),
    status: z.enum(['active', 'disabled', 'archived']).meta({
      description:
        'Only the instances of an active agent can authenticate. An archived agent keeps its slug.',
    }),
    created_at: timestamp('When the agent was created.'),
    updated_at: timestamp('When the agent last changed.'),
    archived_at: timestamp('When the agent was archived; present exactly when it is.').optional(),
  })
  .meta({ id: 'Agent', description: 'An AI agent. It owns one approval pipeline.' });

const agentExample = {
  slug: 'deploy-bot',
  organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  created_by_actor_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  name: 'Deploy bot',
  status: 'active',
  created_at: '2026-03-02T09:15:00.000Z',
  updated_at: '2026-03-02T09:15:00.000Z',
};

const presentAgent = (agent: Agent) => present(agentSchema, agent);

const listAgentsEndpoint = defineEndpoint({
  operationId: 'listAgents',
  method: 'get',
  path: '/api/v1/agents',
  tag: TAG,
  summary: 'List agents',
  description:
    'Active agents first, then disabled, then archived ones, each by name. A grant for some agents lists only those.',
  auth: 'product',
  permission: 'agent.read',
  permissionAt: () => ({ kind: 'any' }),
  query: z.strictObject({
    status: z
      .enum(['live', 'archived', 'all'])
      .default('live')
      .meta({ description: '`live`: active and disabled agents; `archived`; or `all`.' }),
    limit: limitQuery(50),
    cursor: cursorQuery(),
  }),
  success: {
    status: 200,
    description: 'One page of agents.',
    body: z.strictObject({
      agents: z.array(agentSchema).meta({ description: 'The agents of this page.' }),
      next_cursor: nextCursor(),
    }),
    example: { agents: [agentExample] },
  },
  errors: [],
  handler: async ({ principal, query: { status, limit, cursor } }, context) => {
    const keys = decodeCursor(
      cursor,
      z.tuple([z.literal('agents'), z.literal(status), z.int().min(0).max(2), z.string()]),
    );
    const after = keys && { rank: keys[2], slug: keys[3] };
    const { agents, next } = await listVisibleAgents(context, principal, { status, limit, after });
    const next_cursor = next && encodeCursor(['agents', status, next.rank, next.slug]);
    return { body: { agents: agents.map(presentAgent), next_cursor } };
  },
});

const createAgentEndpoint = defineEndpoint({
  operationId: 'createAgent',
  method: 'post',
  path: '/api/v1/agents',
  tag: TAG,
  summary: 'Create an agent',
  description:
    'The new agent is active. Its approval pipeline starts with an empty active revision 1, which passes every request to a person. ' +
    'No credential is issued. A slug that any agent has or had is refused, including archived agents.',
  auth: 'product',
  permission: 'agent.write',
  body: z.strictObject({
    slug: slug('Identity of the agent, for ever.'),
    name: label('Display name, unique among the live agents of the organization.'),
  }),
  requestExample: { slug: 'deploy-bot', name: 'Deploy bot' },
  success: { status: 201, description: 'The new agent.', body: agentSchema, example: agentExample },
  errors: ['agent_slug_taken', 'agent_name_taken', 'quota_exceeded'],
  handler: async ({ principal, body }, context) => ({
    body: presentAgent(await createAgent(context, principal, body)),
  }),
});

const getAgentEndpoint = defineEndpoint({
  operationId: 'getAgent',
  method: 'get',
  path: '/api/v1/agents/{slug}',
  tag: TAG,
  summary: 'Get an agent',
  auth: 'product',
  permission: 'agent.read',
  permissionAt: (params) => ({ kind: 'agent', slug: params.slug }),
  params: agentParams,
  success: { status: 200, description: 'The agent.', body: agentSchema, example: agentExample },
  errors: [],
  handler: async ({ principal, params }, context) => ({
    body: presentAgent(await getAgent(context, principal, params.slug)),
  }),
});

export const agentEndpoints: readonly Endpoint[] = [
  listAgentsEndpoint,
  createAgentEndpoint,
  getAgentEndpoint,
];
