/** Reading the audit log. */
import { z } from 'zod';
import { invalid } from '../../src/domain/errors.ts';
import { AUDIT_ORDERS, AUDIT_SORTS, queryDigest } from '../../src/domain/audit/reading.ts';
import {
  getAuditEvent,
  listAuditEvents,
  listAuditEventTypes,
} from '../../src/services/audit/audit-events.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { cursorQuery, limitQuery, nextCursor } from '../http/schema.ts';
import {
  auditEventSchema,
  placedEventSchema,
  presentPlacedEvent,
  presentStoredEvent,
} from './audit-event-schema.ts';
import { auditFilterFields, auditFilterOf, REPEATABLE_AUDIT_FILTERS } from './audit-filters.ts';

const TAG = 'Audit log';

const eventExample = {
  sequence: 1_204,
  id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  organization_id: '0198f3a2-1111-7a10-8c44-2b3c4d5e6f70',
  event_type: 'membership.suspended',
  actor_type: 'human',
  actor_id: '0198f3a2-2222-7a10-8c44-2b3c4d5e6f70',
  actor_display_name: 'Ada',
  subject_type: 'membership',
  subject_id: '0198f3a2-3333-7a10-8c44-2b3c4d5e6f70',
  data: {},
  occurred_at: '2026-03-06T16:30:00.000Z',
};

const listEndpoint = defineEndpoint({
  operationId: 'listAuditEvents',
  method: 'get',
  path: '/api/v1/audit',
  tag: TAG,
  summary: 'List audit events',
  description:
    'An event is here as soon as its change is committed. All filters must hold. Pages stay in place while events are added: none comes twice, and none of those that were there is left out. Hosted edition only.',
  auth: 'product',
  permission: 'audit.read',
  edition: 'hosted',
  repeatable: REPEATABLE_AUDIT_FILTERS,
  query: z.strictObject({
    sort: z.enum(AUDIT_SORTS).default('occurred').meta({
      description:
        'By time, by type, or by the name of the actor, else its id. Among equals, the newest comes first.',
    }),
    order: z.enum(AUDIT_ORDERS).default('desc').meta({
      description: '`desc`: the newest first, or from Z to A. `asc`: the reverse.',
    }),
    ...auditFilterFields,
    limit: limitQuery(100),
    cursor: cursorQuery().meta({
      description:
        'The `next_cursor` of the page before. It belongs to its sort, order and filters: with others it is a 400.',
    }),
  }),
  success: {
    status: 200,
    description: 'The events.',
    body: z.strictObject({
      events: z.array(auditEventSchema).meta({ description: 'In the order asked for.' }),
      next_cursor: nextCursor(),
      total_count: z.int().meta({
        description: 'How many events match, on all pages. With `q`, counting stops at 10000.',
      }),
    }),
    example: { events: [eventExample], total_count: 1 },
  },
  errors: [],
  handler: async ({ principal, query: { sort, order, limit, cursor, ...wanted } }, context) => {
    const filter = auditFilterOf(wanted);
    const query = queryDigest({ sort, order }, filter);
    const keys = z.tuple([z.literal('audit'), z.literal(query), z.int().min(1)]);
    const { events, next, total } = await listAuditEvents(context, principal, {
      filter,
      order: { sort, order },
      after: decodeCursor(cursor, keys)?.[2],
      limit,
    });
    return {
      body: {
        events: events.map(presentStoredEvent),
        next_cursor: next && encodeCursor(['audit', query, next]),
        total_count: total,
      },
    };
  },
});

const typesEndpoint = defineEndpoint({
  operationId: 'listAuditEventTypes',
  method: 'get',
  path: '/api/v1/audit/event_types',
  tag: TAG,
  summary: 'List the types of audit events',
  description: 'Those that this organization has recorded. Hosted edition only.',
  auth: 'product',
  permission: 'audit.read',
  edition: 'hosted',
  success: {
    status: 200,
    description: 'The types.',
    body: z.strictObject({
      event_types: z.array(z.string()).meta({ description: 'Sorted, each once.' }),
    }),
    example: { event_types: ['agent.created', 'membership.suspended'] },
  },
  errors: [],
  handler: async ({ principal }, context) => ({
    body: { event_types: await listAuditEventTypes(context, principal) },
  }),
});

/** Throws 400. */
function readId(text: string): string {
  const id = z.uuid().safeParse(text);
  if (id.success) return id.data;
  throw invalid([{ pointer: '/path/id', code: 'invalid_value', message: 'must be a UUID' }]);
}

const getEndpoint = defineEndpoint({
  operationId: 'getAuditEvent',
  method: 'get',
  path: '/api/v1/audit/{id}',
  tag: TAG,
  summary: 'Get an audit event',
  description: 'With its place in the chain, once it is sealed. Hosted edition only.',
  auth: 'product',
  permission: 'audit.read',
  edition: 'hosted',
  params: z.strictObject({
    id: z
      .string()
      .meta({ description: 'The event.', override: { type: 'string', format: 'uuid' } }),
  }),
  success: {
    status: 200,
    description: 'The event.',
    body: placedEventSchema,
    example: {
      ...eventExample,
      position: 1_200,
      hash: 'c3ccc33ba1ea09f7716fb90a02e09b103cab06308245b4a9faf7236e3ae4a5be',
    },
  },
  errors: [],
  handler: async ({ principal, params: { id } }, context) => ({
    body: presentPlacedEvent(await getAuditEvent(context, principal, readId(id))),
  }),
});

/** After the other paths under `/audit`: the last one takes any word as an id. */
export const auditEventEndpoints: readonly Endpoint[] = [listEndpoint, typesEndpoint, getEndpoint];
