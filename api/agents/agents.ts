/** Agents. */
import { z } from 'zod';
import { APPROVAL_WINDOW, RESUME_MODES } from '../../src/domain/agents/agents.ts';
import { parseDuration } from '../../src/domain/durations.ts';
import {
  archiveAgent,
  changeAgent,
  restoreAgent,
} from '../../src/services/agents/agent-lifecycle.ts';
import { getAgent } from '../../src/services/agents/agent-detail.ts';
import { createAgent, listVisibleAgents } from '../../src/services/agents/agents.ts';
import {
  agentDetailExample,
  agentDetailSchema,
  agentExample,
  agentSchema,
  listedAgentExample,
  listedAgentSchema,
  presentAgent,
  presentAgentDetail,
  presentListedAgent,
} from './agents-schema.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  cursorQuery,
  duration,
  integerQuery,
  uniqueLabel,
  limitQuery,
  nextCursor,
  searchQuery,
  slug,
} from '../http/schema.ts';

const TAG = 'Agents';

export const agentParams = z.strictObject({ slug: slug('Slug of the agent.') });

const atAgent = (params: { readonly slug: string }) =>
  ({ kind: 'agent', slug: params.slug }) as const;

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
    q: searchQuery('Only agents whose slug or name contains this text.'),
    limit: limitQuery(50),
    cursor: cursorQuery(),
  }),
  success: {
    status: 200,
    description: 'One page of agents.',
    body: z.strictObject({
      agents: z.array(listedAgentSchema).meta({ description: 'The agents of this page.' }),
      next_cursor: nextCursor(),
    }),
    example: { agents: [listedAgentExample] },
  },
  errors: [],
  handler: async ({ principal, query: { status, q, limit, cursor } }, context) => {
    const pinned = [z.literal('agents'), z.literal(status), z.literal(q ?? '')] as const;
    const position = z.tuple([...pinned, z.int().min(0).max(2), z.string()]);
    const keys = decodeCursor(cursor, position);
    const after = keys && { rank: keys[3], slug: keys[4] };
    const page = { status, q, limit, after };
    const { agents, next } = await listVisibleAgents(context, principal, page);
    const next_cursor = next && encodeCursor(['agents', status, q ?? '', next.rank, next.slug]);
    return { body: { agents: agents.map(presentListedAgent), next_cursor } };
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
    name: uniqueLabel('Display name, unique among the live agents of the organization.'),
  }),
  requestExample: { slug: 'deploy-bot', name: 'Deploy bot' },
  success: { status: 201, description: 'The new agent.', body: agentSchema, example: agentExample },
  errors: ['agent_slug_taken', 'agent_name_taken', 'quota_exceeded'],
  handler: async ({ principal, body }, context) => ({
    body: presentAgent(await createAgent(context, principal, body)),
  }),
});

const pageLimit = () => limitQuery(25, 200);
const pageOffset = () =>
  integerQuery('How many entries to skip.', { min: 0, max: 1_000_000, default: 0 });
const search = (description: string) => z.string().max(200).optional().meta({ description });

const getAgentEndpoint = defineEndpoint({
  operationId: 'getAgent',
  method: 'get',
  path: '/api/v1/agents/{slug}',
  tag: TAG,
  summary: 'Get an agent with its instances and provisioner tokens',
  description:
    'One page each of instances with their credentials, and of provisioner tokens. Counts are of all of them, unless their ' +
    'name says matching: these count what the filters select, on all pages. Secrets are never included.',
  auth: 'product',
  permission: 'agent.read',
  permissionAt: atAgent,
  params: agentParams,
  query: z.strictObject({
    instance_limit: pageLimit(),
    instance_offset: pageOffset(),
    instance_q: search('Only instances whose name contains this text. Case does not matter.'),
    instance_status: z
      .enum(['active', 'disabled'])
      .optional()
      .meta({ description: 'Only instances with this status.' }),
    provisioner_limit: pageLimit(),
    provisioner_offset: pageOffset(),
    provisioner_q: search('Only provisioner tokens whose id or suffix contains this text.'),
    provisioner_status: z.enum(['active', 'expired', 'revoked']).optional().meta({
      description: 'Only provisioner tokens in this state. A revoked one never counts as expired.',
    }),
  }),
  success: {
    status: 200,
    description: 'The agent.',
    body: agentDetailSchema,
    example: agentDetailExample,
  },
  errors: [],
  handler: async ({ principal, params, query }, context) => {
    const agent = await getAgent(context, principal, {
      slug: params.slug,
      instances: {
        filter: { q: query.instance_q, status: query.instance_status },
        limit: query.instance_limit,
        offset: query.instance_offset,
      },
      provisioners: {
        filter: { q: query.provisioner_q, status: query.provisioner_status },
        limit: query.provisioner_limit,
        offset: query.provisioner_offset,
      },
    });
    return { body: await presentAgentDetail(agent) };
  },
});

const updateAgentEndpoint = defineEndpoint({
  operationId: 'updateAgent',
  method: 'patch',
  path: '/api/v1/agents/{slug}',
  tag: TAG,
  summary: 'Rename, disable or enable an agent, or change its settings',
  description:
    'Calls of a disabled agent return 403 `agent_disabled`. Once this call has returned, the agent gets no further request. ' +
    'Requests that wait stay open, and people can still decide them. An archived agent cannot change: restore it first.',
  auth: 'product',
  permission: 'agent.write',
  permissionAt: atAgent,
  params: agentParams,
  body: z.strictObject({
    name: uniqueLabel(
      'New display name, unique among the live agents of the organization.',
    ).optional(),
    status: z.enum(['active', 'disabled']).optional().meta({
      description: '`disabled` stops all instances of the agent, `active` lets them call.',
    }),
    resume: z
      .enum(RESUME_MODES)
      .optional()
      .meta({
        description:
          '`agent` lets every active instance of the agent read, wait for, start and withdraw the requests of the others, so that a replica can ' +
          'continue a suspended run. `instance`, the default, limits them to the instance that made them.',
      }),
    approval_window: duration(
      'How long after its decision an approved call may start, from `1m` to `24h`. Earlier decisions keep their window. `/aap/v1` always says five minutes.',
      APPROVAL_WINDOW,
    ).optional(),
  }),
  requestExample: { status: 'disabled' },
  success: {
    status: 200,
    description: 'The agent after the change.',
    body: agentSchema,
    example: { ...agentExample, status: 'disabled', updated_at: '2026-03-02T10:00:00.000Z' },
  },
  errors: ['agent_archived', 'agent_name_taken'],
  handler: async ({ principal, params: { slug }, body }, context) => {
    const { approval_window: window, ...change } = body;
    const approvalWindow = window === undefined ? undefined : (parseDuration(window) ?? 0) / 1_000;
    const agent = await changeAgent(context, principal, { slug, ...change, approvalWindow });
    return { body: presentAgent(agent) };
  },
});

const archiveAgentEndpoint = defineEndpoint({
  operationId: 'archiveAgent',
  method: 'delete',
  path: '/api/v1/agents/{slug}',
  tag: TAG,
  summary: 'Archive an agent',
  description:
    'Revokes every credential and provisioner token of the agent permanently, cancels its open requests with the channel `system`, and ' +
    'archives its pipeline, all at once. No request of the agent follows. Its name is free for others, its slug is not. ' +
    'Archiving it again changes nothing.',
  auth: 'product',
  permission: 'agent.write',
  permissionAt: atAgent,
  params: agentParams,
  success: { status: 204, description: 'The agent is archived.' },
  errors: [],
  handler: async ({ principal, params }, context) => {
    await archiveAgent(context, principal, params.slug);
    return {};
  },
});

const restoreAgentEndpoint = defineEndpoint({
  operationId: 'restoreAgent',
  method: 'post',
  path: '/api/v1/agents/{slug}/restore',
  tag: TAG,
  summary: 'Restore an archived agent',
  description:
    'The agent is active again, and so is the pipeline revision that was active when it was archived. An escalation path or webhook ' +
    'endpoint archived meanwhile counts as inactive there. Revoked credentials and provisioner tokens stay revoked. ' +
    'A live agent stays as it is.',
  auth: 'product',
  permission: 'agent.write',
  permissionAt: atAgent,
  params: agentParams,
  success: {
    status: 200,
    description: 'The live agent.',
    body: agentSchema,
    example: { ...agentExample, updated_at: '2026-03-02T10:00:00.000Z' },
  },
  errors: ['agent_name_taken', 'quota_exceeded'],
  handler: async ({ principal, params }, context) => ({
    body: presentAgent(await restoreAgent(context, principal, params.slug)),
  }),
});

export const agentEndpoints: readonly Endpoint[] = [
  listAgentsEndpoint,
  createAgentEndpoint,
  getAgentEndpoint,
  updateAgentEndpoint,
  archiveAgentEndpoint,
  restoreAgentEndpoint,
];
