/** The tools of agents: instances report them, people see them. */
import { z } from 'zod';
import {
  MAX_REPORTED_VALUES,
  TOOL_CATALOG_VIEWS,
  TOOL_SOURCES,
  TOOL_STATUSES,
  toolAnnotationsSchema,
  toolReportMembers,
  type ToolCatalogEntry,
  type ToolCatalogSource,
} from '../../src/domain/agents/tool-catalog.ts';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import {
  getToolCatalogEntry,
  listToolCatalog,
  reportTools,
} from '../../src/services/agents/tool-catalog.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import {
  exactObject,
  integerQuery,
  limitQuery,
  readByDomain,
  slug,
  timestamp,
  uuid,
} from '../http/schema.ts';

const TAG = 'Tool catalog';
const LIST = '/api/v1/tool_catalog';

const reportSchema = z
  .strictObject({
    runtime: readByDomain(toolReportMembers.runtime),
    discovery_context: readByDomain(toolReportMembers.discovery_context),
    complete: readByDomain(toolReportMembers.complete),
    sources: readByDomain(toolReportMembers.sources),
  })
  .meta({ id: 'ToolCatalogReport', description: 'The tools that an instance found in one place.' });

const REPORT_MEMBERS = ['runtime', 'discovery_context', 'complete', 'sources'] as const;

const source = z
  .enum(TOOL_SOURCES)
  .meta({ description: '`builtin`: the runtime’s own; `mcp`: of an MCP server.' });
const server = z
  .string()
  .optional()
  .meta({ description: 'Alias of the MCP server; absent for built-in tools.' });
const runtime = z.string().meta({ description: 'The program that runs the agent.' });
const discoveryContext = z.string().meta({ description: 'The place where the tools were found.' });
const error = z
  .string()
  .optional()
  .meta({ description: 'Why the source could not be read at the last attempt.' });

const entrySchema = z
  .strictObject({
    id: uuid('Identity of the entry. It stays while the tool is reported.'),
    agent_slug: slug('The agent.'),
    agent_instance_id: uuid('The instance that reported the tool.'),
    instance_name: z.string().meta({ description: 'Name of the instance.' }),
    discovery_context: discoveryContext,
    runtime,
    source,
    server,
    name: z.string().meta({ description: 'The exact name of the tool in approval requests.' }),
    display_name: z.string().optional().meta({ description: 'Its name for people.' }),
    description: z.string().optional().meta({ description: 'What it does, for the model.' }),
    input_schema: exactObject(
      'The JSON Schema of the arguments, digit for digit as reported; absent when unknown.',
    ).optional(),
    annotations: toolAnnotationsSchema.optional(),
    available: z.boolean().meta({
      description: 'False when the source could not be read at the last attempt.',
    }),
    stale: z.boolean().meta({ description: 'Not reported for 7 days.' }),
    error,
    schema_fingerprint: z.string().optional().meta({
      description:
        'SHA-256 of the canonical JSON of `input_schema`, in hex; absent when it is unknown.',
    }),
    schema_changed_at: timestamp(
      'When a report last had another `input_schema` than the one before; absent while none had.',
    ).optional(),
    previous_input_schema: exactObject(
      'The `input_schema` before that, digit for digit; only when the entry is read alone, and absent when unknown.',
    ).optional(),
    last_seen_at: timestamp('When a report last named the tool.'),
    last_attempt_at: timestamp('When a report last named its source.'),
  })
  .meta({ id: 'ToolCatalogEntry', description: 'A tool, as one instance reported it.' });

const sourceSchema = z
  .strictObject({
    id: uuid('Identity of the source.'),
    agent_slug: slug('The agent.'),
    agent_instance_id: uuid('The instance.'),
    runtime,
    discovery_context: discoveryContext,
    source,
    server,
    last_attempt_at: timestamp('When a report last named the source.'),
    last_success_at: timestamp(
      'When it was last read without an error; absent while it never was.',
    ).optional(),
    error,
  })
  .meta({ id: 'ToolCatalogSource', description: 'Where an instance found tools.' });

const presentEntry = (entry: ToolCatalogEntry) => present(entrySchema, entry);
const presentSource = (each: ToolCatalogSource) => present(sourceSchema, each);

const textOf = (member: unknown): string | undefined =>
  member instanceof JsonText ? member.text : undefined;

const schemaExample = { type: 'object', properties: { payment_id: { type: 'string' } } };

const entryExample = {
  id: '0198f3a2-aa10-7f99-8839-b4c5d6e7f809',
  agent_slug: 'support-bot',
  agent_instance_id: '0198f3a2-6c00-7d11-a0b1-3c4d5e6f7081',
  instance_name: 'worker-1',
  discovery_context: 'project:shop',
  runtime: 'claude-code',
  source: 'mcp',
  server: 'billing',
  name: 'refund_payment',
  description: 'Refunds a payment.',
  input_schema: schemaExample,
  annotations: { destructive_hint: true },
  available: true,
  stale: false,
  schema_fingerprint: '5a1f7c0e2b9d4836a7c1e5f09b3d72846fe0a1c2d3b4958677869504a3b2c1d0',
  last_seen_at: '2026-03-02T12:05:00.000Z',
  last_attempt_at: '2026-03-02T12:05:00.000Z',
};

export const toolCatalogEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'reportToolCatalog',
    method: 'put',
    path: '/api/aap/v1/tool_catalog',
    tag: TAG,
    summary: 'Report the tools of an agent instance',
    description:
      'Replaces what this instance reported before in this discovery context. Of simultaneous reports, the last one counts as a whole. ' +
      'A source with `"complete": false` or with an `error` removes nothing; neither does a report with `"complete": false` for ' +
      'sources that it leaves out. A changed `input_schema` is recorded in the audit log as `agent_tool.schema_changed`, also when ' +
      'the tool was away for up to 30 days. An instance sends one report at a time, and at most six a minute. A report has at most 8 MiB, 250,000 JSON values and 2,000 tools; reading ends at the first unknown member. An instance has 100 contexts; a further one replaces the one reported longest ago.',
    auth: 'agent',
    bodyLimit: BODY_BYTES.catalog,
    mostValues: MAX_REPORTED_VALUES,
    callsPerMinute: 6,
    body: reportSchema,
    exact: REPORT_MEMBERS,
    requestExample: {
      runtime: 'claude-code',
      discovery_context: 'project:shop',
      complete: true,
      sources: [
        {
          source: 'builtin',
          complete: true,
          tools: [{ name: 'Bash', description: 'Runs a command.' }],
        },
        {
          source: 'mcp',
          server: 'billing',
          complete: true,
          tools: [
            {
              name: 'refund_payment',
              description: 'Refunds a payment.',
              input_schema: schemaExample,
              annotations: { destructive_hint: true },
            },
          ],
        },
      ],
    },
    success: {
      status: 200,
      description: 'What the report changed.',
      body: z.strictObject({
        accepted: z.int().meta({ description: 'Tools that are new or changed.' }),
        unchanged: z.int().meta({
          description:
            'Tools whose `input_schema` has the same fingerprint as before, and tools without a schema in which nothing changed. Changed texts about a tool are stored all the same.',
        }),
        removed: z.int().meta({ description: 'Tools that are no longer there.' }),
      }),
      example: { accepted: 2, unchanged: 0, removed: 0 },
    },
    errors: [],
    handler: async ({ principal, body }, context) => {
      const texts = Object.fromEntries(
        REPORT_MEMBERS.map((name) => [name, textOf(body[name])]).filter(([, text]) => text),
      );
      return { body: await reportTools(context, principal, texts) };
    },
  }),
  defineEndpoint({
    operationId: 'listToolCatalog',
    method: 'get',
    path: LIST,
    tag: TAG,
    summary: 'List the tools of agents',
    description:
      'By agent, source, server and name. A grant for some agents lists only their tools. Names and descriptions are claims of the runtime: ' +
      'show them as text, with invisible characters made visible.',
    auth: 'product',
    permission: 'agent.read',
    permissionAt: () => ({ kind: 'any' }),
    query: z.strictObject({
      limit: limitQuery(50, 200),
      offset: integerQuery('How many entries to skip.', { min: 0, max: 1_000_000, default: 0 }),
      q: z.string().max(200).optional().meta({
        description: 'Case-insensitive substring of name, display name or server.',
      }),
      agent_slug: slug('Only tools of this agent.').optional(),
      source: z.enum(TOOL_SOURCES).optional().meta({ description: 'Only tools of such sources.' }),
      view: z.enum(TOOL_CATALOG_VIEWS).default('reports').meta({
        description:
          '`reports`: what each instance reported in each place; `tools`: each tool of an agent and server once, as it was reported last.',
      }),
      status: z.enum(TOOL_STATUSES).optional().meta({
        description:
          '`available`: neither of the following; `unavailable`: the source could not be read; `stale`: not reported for 7 days.',
      }),
    }),
    success: {
      status: 200,
      description: 'One page of the catalog.',
      body: z
        .strictObject({
          tools: z.array(entrySchema).meta({ description: 'The tools of this page.' }),
          sources: z.array(sourceSchema).meta({
            description:
              'Their sources, then up to 200 other sources of `agent_slug` and `source`, last attempted first.',
          }),
          total: z.int().meta({ description: 'How many tools match the filters.' }),
          next_offset: z
            .int()
            .optional()
            .meta({ description: 'The `offset` of the next page; absent on the last one.' }),
        })
        .meta({ id: 'ToolCatalogPage', description: 'Tools, and where they were found.' }),
      example: {
        tools: [entryExample],
        sources: [
          {
            id: '0198f3a2-aa0f-7f99-8839-b4c5d6e7f80a',
            agent_slug: 'support-bot',
            agent_instance_id: '0198f3a2-6c00-7d11-a0b1-3c4d5e6f7081',
            runtime: 'claude-code',
            discovery_context: 'project:shop',
            source: 'mcp',
            server: 'billing',
            last_attempt_at: '2026-03-02T12:05:00.000Z',
            last_success_at: '2026-03-02T12:05:00.000Z',
          },
        ],
        total: 1,
      },
    },
    errors: [],
    handler: async ({ principal, query: { agent_slug: agentSlug, ...filter } }, context) => {
      const page = await listToolCatalog(context, principal, { ...filter, agentSlug });
      const { total, nextOffset: next_offset } = page;
      const tools = await page.tools.map(presentEntry);
      return { body: { tools, sources: page.sources.map(presentSource), total, next_offset } };
    },
  }),
  defineEndpoint({
    operationId: 'getToolCatalogEntry',
    method: 'get',
    path: `${LIST}/{id}`,
    tag: TAG,
    summary: 'Get a tool of the catalog',
    description: 'A tool that its instance no longer reports is 404.',
    auth: 'product',
    permission: 'agent.read',
    permissionAt: () => ({ kind: 'any' }),
    params: z.strictObject({ id: uuid('The entry.') }),
    success: {
      status: 200,
      description: 'The entry.',
      body: entrySchema,
      example: entryExample,
    },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => ({
      body: presentEntry(await getToolCatalogEntry(context, principal, id)),
    }),
  }),
];
