/** How the calls of tools are shown: built-in presentations, and the organization's own. */
import { z } from 'zod';
import {
  presentationEntrySchema,
  presentationFields,
  presentationTitle,
  type OwnPresentation,
} from '../../src/domain/agents/tool-presentations.ts';
import {
  createPresentation,
  getPresentation,
  listAllPresentations,
  removePresentation,
  replacePresentation,
  type ListedPresentation,
  type PresentationPosition,
} from '../../src/services/agents/tool-presentations.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { ANY_REVISION, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { cursorQuery, limitQuery, nextCursor, timestamp, uuid } from '../http/schema.ts';

const TAG = 'Tool presentations';
const LIST = '/api/v1/tool_presentations';

const source = z.enum(['built_in', 'organization']).meta({
  description: '`built_in`: ships with the service; `organization`: the organization’s own.',
});

/** Of a request. */
export const presentationSchema = z
  .strictObject({
    source,
    id: uuid('The organization’s own entry.').optional(),
    title: presentationTitle,
    fields: presentationFields,
  })
  .meta({
    id: 'Presentation',
    description:
      'How the call is shown. It points into `arguments`; what points to nothing is left out. Draw the values as data, never as markup.',
  });

const entrySchema = z
  .strictObject({
    source,
    id: uuid('Identity of an own entry; absent for built-in ones.').optional(),
    ...presentationEntrySchema.shape,
    created_at: timestamp('When an own entry was made.').optional(),
    updated_at: timestamp('When an own entry last changed.').optional(),
  })
  .meta({ id: 'ToolPresentation', description: 'How the calls of a tool are shown.' });

function presentEntry(entry: ListedPresentation) {
  const { id, server, createdAt, updatedAt, revision: _revision, ...rest } = entry;
  const from = id === undefined ? ('built_in' as const) : ('organization' as const);
  return present(entrySchema, { ...rest, source: from, id, server, createdAt, updatedAt });
}

/** An own entry, with how often it changed. */
const withRevision = (entry: OwnPresentation) => ({
  body: presentEntry(entry),
  headers: { ETag: `"${entry.revision}"` },
});

const entryBody = {
  tool: 'refund_payment',
  server: 'billing',
  title: 'Refund {/amount} of {/payment_id}',
  fields: [
    { path: '/amount', label: 'Amount', kind: 'money', role: 'primary' },
    { path: '/payment_id', label: 'Payment', kind: 'text' },
  ],
};

const entryExample = {
  source: 'organization',
  id: '0198f3a2-ba10-7f99-8839-b4c5d6e7f809',
  ...entryBody,
  created_at: '2026-03-02T12:05:00.000Z',
  updated_at: '2026-03-02T12:05:00.000Z',
};

const params = z.strictObject({ id: uuid('The own entry.') });

const reading = {
  tag: TAG,
  auth: 'product',
  permission: 'agent.read',
  orPermission: 'organization.settings.write',
  permissionAt: () => ({ kind: 'any' }) as const,
} as const;

const writing = { tag: TAG, auth: 'member', permission: 'organization.settings.write' } as const;

const ETAG = 'Revision of the entry, quoted. Pass it as If-Match when replacing it.';

const one = (description: string) => ({
  description,
  body: entrySchema,
  headers: { ETag: ETAG },
  example: entryExample,
});

const bySource = z.enum(['organization', 'built_in']).optional();

function positionOf(cursor: string | undefined, list: string): PresentationPosition | undefined {
  const name = z.literal('tool_presentations');
  const keys = z.union([
    z.tuple([name, z.literal(list), z.literal('id'), z.uuid()]),
    z.tuple([name, z.literal(list), z.literal('built_in'), z.int().min(0)]),
  ]);
  const [, , kind, at] = decodeCursor(cursor, keys) ?? [];
  if (kind === undefined || at === undefined) return undefined;
  return typeof at === 'string' ? { id: at } : { builtIn: at };
}

export const toolPresentationEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...reading,
    operationId: 'listToolPresentations',
    method: 'get',
    path: LIST,
    summary: 'List tool presentations',
    description:
      'The organization’s own entries first, in the order in which they were made, then the built-in ones. A request is shown with the ' +
      'first of these that exists: the own entry of its server and tool, then the own entry of its tool. The built-in ones follow, in the same order.',
    query: z.strictObject({
      source: bySource.meta({ description: 'Only entries of this source.' }),
      limit: limitQuery(50, 200),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'One page of entries.',
      body: z.strictObject({
        tool_presentations: z.array(entrySchema).meta({ description: 'The entries of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: { tool_presentations: [entryExample] },
    },
    errors: [],
    handler: async ({ principal, query: { source: only, limit, cursor } }, context) => {
      const list = only ?? 'all';
      const page = { source: only, limit, after: positionOf(cursor, list) };
      const { presentations, next } = await listAllPresentations(context, principal, page);
      const place =
        next && (next.builtIn === undefined ? ['id', next.id] : ['built_in', next.builtIn]);
      const next_cursor = place && encodeCursor(['tool_presentations', list, ...place]);
      return { body: { tool_presentations: presentations.map(presentEntry), next_cursor } };
    },
  }),
  defineEndpoint({
    ...writing,
    operationId: 'createToolPresentation',
    method: 'post',
    path: LIST,
    summary: 'Create a tool presentation',
    description:
      'An entry of the organization, for one tool and, with `server`, only for calls to that server. There are at most 500.',
    body: presentationEntrySchema,
    requestExample: entryBody,
    success: { status: 201, ...one('The new entry.') },
    errors: ['presentation_exists', 'quota_exceeded'],
    handler: async ({ principal, body }, context) =>
      withRevision(await createPresentation(context, principal, body)),
  }),
  defineEndpoint({
    ...reading,
    operationId: 'getToolPresentation',
    method: 'get',
    path: `${LIST}/{id}`,
    summary: 'Get a tool presentation of the organization',
    params,
    success: { status: 200, ...one('The entry.') },
    errors: [],
    handler: async ({ principal, params: { id } }, context) =>
      withRevision(await getPresentation(context, principal, id)),
  }),
  defineEndpoint({
    ...writing,
    operationId: 'replaceToolPresentation',
    method: 'put',
    path: `${LIST}/{id}`,
    summary: 'Replace a tool presentation of the organization',
    description:
      'The body is the whole entry. Requests are shown with it from the next read on. `If-Match` is optional: with it, a change that someone else made meanwhile returns 412.',
    params,
    headers: { ifMatch: 'optional' },
    body: presentationEntrySchema,
    requestExample: entryBody,
    success: { status: 200, ...one('The changed entry.') },
    errors: ['presentation_exists', 'revision_conflict'],
    handler: async ({ principal, params: { id }, body: entry, ifMatch }, context) => {
      const expected = ifMatch === ANY_REVISION ? undefined : ifMatch;
      return withRevision(await replacePresentation(context, principal, { id, entry, expected }));
    },
  }),
  defineEndpoint({
    ...writing,
    operationId: 'deleteToolPresentation',
    method: 'delete',
    path: `${LIST}/{id}`,
    summary: 'Delete a tool presentation of the organization',
    description: 'A built-in entry for the tool, if there is one, applies again.',
    params,
    success: { status: 204, description: 'Deleted.' },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => {
      await removePresentation(context, principal, id);
      return {};
    },
  }),
];
