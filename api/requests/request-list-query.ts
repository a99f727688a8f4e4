/** The query of the review queue: which requests, in which order, from where. */
import { z } from 'zod';
import type { RequestFilter, RequestPosition } from '../../src/services/requests/queue.ts';
import { invalid } from '../../src/domain/errors.ts';
import { REQUEST_STATUSES } from '../../src/domain/requests/approval-requests.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { cursorQuery, limitQuery, optionalIntegerQuery, slug } from '../http/schema.ts';

export const scopeQuery = () =>
  z
    .enum(['notified', 'decidable', 'visible'])
    .default('visible')
    .meta({ description: 'Each contains the one before. Ignored for API keys.' });

const view = z
  .enum(['full', 'summary'])
  .default('full')
  .meta({ description: '`summary`: without arguments, context and reasoning.' });

export const listQuery = z.strictObject({
  limit: limitQuery(50, 200),
  offset: optionalIntegerQuery('How many entries to skip. Not together with `cursor`.', {
    min: 0,
    max: 1_000_000,
    default: 0,
  }),
  cursor: cursorQuery(),
  view,
  sort: z.enum(['created', 'deadline']).optional().meta({
    description:
      '`created`: newest first, the default. `deadline`: pending requests, the one that expires first before the others.',
  }),
  agent_slug: slug('Only requests of this agent.').optional(),
  q: z.string().max(200).optional().meta({
    description:
      'Case-insensitive substring of the id, the tool, its server, the slug or name of the agent, or the name of the instance.',
  }),
  status: z
    .enum([...REQUEST_STATUSES, 'decided'])
    .optional()
    .meta({
      description:
        'Only requests with this status. `decided`: all with a decision, withdrawn ones too.',
    }),
  scope: scopeQuery(),
  tool: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .meta({ description: 'Only calls of the tool with exactly this name.' }),
  urgency: z
    .enum(['standard', 'interrupt'])
    .optional()
    .meta({ description: 'Only requests of this urgency.' }),
  claimed: z.enum(['me', 'others', 'nobody']).optional().meta({
    description:
      'By the live claim: the caller holds it, another reviewer does, or there is none. Decided requests have none.',
  }),
});

type ListQuery = Omit<z.output<typeof listQuery>, 'view'>;

const cursorKeys = (sort: 'created' | 'deadline') =>
  z.tuple([z.literal('requests'), z.literal(sort), z.iso.datetime({ precision: 3 }), z.uuid()]);

/** Throws 400 for parameters that contradict each other. */
export function filterOf(
  { agent_slug: agentSlug, cursor, offset, ...query }: ListQuery,
  shownAs: z.output<typeof view>,
): RequestFilter {
  const { sort = 'created' } = query;
  if (cursor !== undefined && offset !== undefined)
    throw refusal('/query/offset', 'must be absent beside cursor');
  if (sort === 'deadline' && query.status !== undefined && query.status !== 'pending')
    throw refusal('/query/status', 'must be pending or absent when sort is deadline');
  const keys = decodeCursor(cursor, cursorKeys(sort));
  return {
    ...query,
    sort,
    agentSlug,
    offset: offset ?? 0,
    status: sort === 'deadline' ? 'pending' : query.status,
    after: keys && { at: new Date(keys[2]), id: keys[3] },
    paged: shownAs === 'summary' || query.sort !== undefined || cursor !== undefined,
  };
}

function refusal(pointer: string, message: string) {
  return invalid([{ pointer, code: 'invalid_value', message }]);
}

export function nextOf({ sort = 'created' }: RequestFilter, next: RequestPosition | undefined) {
  if (!next) return {};
  return { next_cursor: encodeCursor(['requests', sort, next.at.toISOString(), next.id]) };
}
