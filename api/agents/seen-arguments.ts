/** Fields of arguments that an agent really sent, for those who write conditions. */
import { z } from 'zod';
import type { SeenField } from '../../src/domain/agents/seen-arguments.ts';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import { readSeenArguments, requireMaySee } from '../../src/services/agents/seen-arguments.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { serverName, toolName } from '../http/schema.ts';
import { agentParams } from './agents.ts';

const TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;

const exampleSchema = z
  .strictObject({
    value: z
      .custom<JsonText>((value) => value instanceof JsonText)
      .optional()
      .meta({
        description:
          'The value, digit for digit. Absent for one that is long or has a secret in it.',
        override: {},
      }),
    excerpt: z.string().optional().meta({
      description:
        'In place of the value: its first and last part and its length, without secrets.',
    }),
  })
  .meta({ id: 'SeenExample', description: 'A value that was sent: exactly one of its members.' });

const fieldSchema = z
  .strictObject({
    lists: z.array(z.string()).optional().meta({
      description:
        'The lists that the field is in, outermost first: the `field` of one `some` or `every` for each. Absent outside of lists.',
    }),
    pointer: z.string().meta({
      description:
        'The `field` of a condition, beginning with `/request/arguments`, or in a list with `/item`.',
    }),
    types: z
      .array(z.enum(TYPES))
      .meta({ description: 'The types of its values, without duplicates.' }),
    count: z.int().meta({ description: 'How many of the requests have it, in one item at least.' }),
    examples: z.array(exampleSchema).max(2).meta({
      description:
        'Different values from the newest requests. There are none of hidden values, of lists and of objects.',
    }),
    hidden: z
      .literal(true)
      .optional()
      .meta({ description: 'The value is hidden in some requests. Nothing inside it is listed.' }),
  })
  .meta({ id: 'SeenField', description: 'A field of the arguments of past requests.' });

const presentField = ({ lists, pointer, types, count, examples, isHidden }: SeenField) => ({
  ...(lists.length > 0 && { lists: [...lists] }),
  ...{ pointer, types: [...types], count },
  examples: examples.map(({ isWhole, text }) =>
    isWhole ? { value: new JsonText(text) } : { excerpt: text },
  ),
  ...(isHidden && { hidden: true as const }),
});

const example = {
  fields: [
    {
      pointer: '/request/arguments/amount',
      types: ['number'],
      count: 212,
      examples: [{ value: 1249.95 }, { value: 20 }],
    },
    {
      pointer: '/request/arguments/items',
      types: ['array'],
      count: 180,
      examples: [],
    },
    {
      lists: ['/request/arguments/items'],
      pointer: '/item/sku',
      types: ['string'],
      count: 180,
      examples: [{ value: 'A-17' }],
    },
    {
      pointer: '/request/arguments/card_token',
      types: ['string'],
      count: 40,
      examples: [],
      hidden: true,
    },
  ],
  requests: 212,
  truncated: false,
} as const;

export const seenArgumentEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listSeenArguments',
    method: 'get',
    path: '/api/v1/agents/{slug}/seen_arguments',
    tag: 'Agents',
    summary: 'List fields of the arguments that an agent sent',
    description:
      'What the last 500 requests of the agent with this tool had in their arguments, most frequent fields first, so that conditions can be written for ' +
      'calls as they are. Only requests that the caller may see count. It also needs `request.read` for the agent. Values that a presentation or their name ' +
      'hides are never shown. It looks for requests for 1 second at most, and reads them for 1 second at most: `requests` says how many those are. Fields that no condition can name are left out.',
    auth: 'product',
    permission: 'agent.read',
    permissionAt: ({ slug }) => ({ kind: 'agent', slug }),
    admit: async ({ principal, params: { slug } }, context) => {
      await requireMaySee(context, principal, slug);
    },
    isHeavy: true,
    params: agentParams,
    query: z.strictObject({
      tool: toolName('Only calls of the tool with exactly this name.'),
      server: serverName(
        'Only calls of the tool of this MCP server. Default: of any, and those without one.',
      ).optional(),
    }),
    success: {
      status: 200,
      description: 'The fields.',
      body: z.strictObject({
        fields: z.array(fieldSchema).max(200).meta({ description: 'At most 200 fields.' }),
        requests: z.int().meta({ description: 'How many requests were read.' }),
        truncated: z.boolean().meta({ description: 'Whether there are more fields.' }),
      }),
      example,
    },
    errors: [],
    handler: async ({ principal, params: { slug }, query, signal }, context) => {
      const seen = await readSeenArguments(context, principal, { slug, ...query, signal });
      return { body: { ...seen, fields: seen.fields.map(presentField) } };
    },
  }),
];
