/** What of a server's tools an agent may call through an MCP gateway. */
import { z } from 'zod';
import {
  MOST_SELECTED_TOOLS,
  TOOL_ACCESS,
  type ToolAccess,
} from '../../src/domain/agents/tool-access.ts';
import { changeToolAccess, readToolAccess } from '../../src/services/agents/tool-access.ts';
import { ANY_REVISION, defineEndpoint, BODY_BYTES, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { slug, timestamp, toolName } from '../http/schema.ts';
import { agentParams } from './agents.ts';

const TAG = 'Tool access';

const atAgent = (params: { readonly slug: string }) =>
  ({ kind: 'agent', slug: params.slug }) as const;

const accessSchema = z
  .strictObject({
    server_slug: slug('The server, as the gateway names it.'),
    access: z.enum(TOOL_ACCESS).meta({
      description: '`all` tools of the server, those in `tools` alone, or `none`.',
    }),
    tools: z.array(z.string()).meta({
      description: 'The exact names of the tools, sorted. Empty unless `access` is `selected`.',
    }),
    revision: z.int().meta({
      description: 'The revision of the tool access of the agent that changed this last.',
    }),
    updated_at: timestamp('When it changed last.'),
  })
  .meta({ id: 'ToolAccess', description: 'What of one server an agent may call.' });

const presentAccess = (access: ToolAccess): z.input<typeof accessSchema> =>
  present(accessSchema, { ...access, tools: [...access.tools] });

const wantedSchema = z
  .strictObject({
    access: z.enum(TOOL_ACCESS).meta({ description: 'What the agent may call.' }),
    tools: z.array(toolName('The exact name of a tool.')).max(MOST_SELECTED_TOOLS).optional().meta({
      description:
        'The tools it may call, at most 1,000, each once. Only with `selected`, which needs it.',
    }),
  })
  .superRefine(({ access, tools }, context) => {
    const wrong = (message: string) => {
      context.addIssue({ code: 'custom', path: ['tools'], message });
    };
    if (access === 'selected' && tools === undefined) wrong('must be given with access selected');
    if (access !== 'selected' && tools && tools.length > 0)
      wrong('must be absent unless access is selected');
    if (tools && new Set(tools).size < tools.length) wrong('must name each tool once');
  });

const example = {
  server_slug: 'billing',
  access: 'selected',
  tools: ['get_invoice', 'list_invoices'],
  revision: 3,
  updated_at: '2026-03-06T16:30:00.000Z',
};

const ETAG =
  'Number of changes of the tool access of the agent, quoted; "0" before the first. Pass it as If-Match when changing it.';

export const toolAccessEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getToolAccess',
    method: 'get',
    path: '/api/v1/agents/{slug}/tool-access',
    tag: TAG,
    summary: 'Get what an agent may call through a gateway',
    description:
      'By the slug of the server. A server that is not listed is closed: its access is `none`. An MCP gateway reads this with an organization key that holds `gateway.read`, and refuses what is not allowed here.',
    auth: 'product',
    permission: 'gateway.read',
    permissionAt: atAgent,
    edition: 'hosted',
    params: agentParams,
    success: {
      status: 200,
      description: 'The servers that the agent may call.',
      body: z.strictObject({
        servers: z.array(accessSchema).meta({ description: 'By slug.' }),
      }),
      headers: { ETag: ETAG },
      example: { servers: [example] },
    },
    errors: [],
    handler: async ({ principal, params }, context) => {
      const { servers, revision } = await readToolAccess(context, principal, params.slug);
      return {
        body: { servers: await servers.map(presentAccess) },
        headers: { ETag: `"${revision}"` },
      };
    },
  }),
  defineEndpoint({
    operationId: 'putToolAccess',
    method: 'put',
    path: '/api/v1/agents/{slug}/tool-access/{server_slug}',
    tag: TAG,
    summary: 'Set the tools that an agent can call on one server',
    description:
      'Replaces what was set before. `If-Match` is optional: with it, a change that someone else made meanwhile returns 412. A repeat changes nothing and keeps the revision.',
    auth: 'product',
    permission: 'gateway.write',
    permissionAt: atAgent,
    edition: 'hosted',
    params: agentParams.extend({ server_slug: slug('The server, as the gateway names it.') }),
    headers: { ifMatch: 'optional' },
    bodyLimit: BODY_BYTES.toolAccess,
    body: wantedSchema,
    requestExample: { access: 'selected', tools: ['get_invoice', 'list_invoices'] },
    success: {
      status: 200,
      description: 'What the agent may call of the server now.',
      body: accessSchema,
      headers: { ETag: ETAG },
      example,
    },
    errors: ['agent_archived', 'revision_conflict', 'quota_exceeded'],
    handler: async ({ principal, params, body, ifMatch }, context) => {
      const access = await changeToolAccess(context, principal, {
        agentSlug: params.slug,
        serverSlug: params.server_slug,
        wanted: { access: body.access, tools: [...(body.tools ?? [])].sort() },
        expected: ifMatch === ANY_REVISION ? undefined : ifMatch,
      });
      return { body: presentAccess(access), headers: { ETag: `"${access.revision}"` } };
    },
  }),
];
