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

const SORTS = ['created', 'deadline', 'urgency'] as const;
type Sort = (typeof SORTS)[number];

export const listQuery = z.strictObject({
  limit: limitQuery(50, 200),
  offset: optionalIntegerQuery('How many entries to skip. Not together with `cursor`.', {
    min: 0,
    max: 1_000_000,
    default: 0,
  }),
  cursor: cursorQuery(),
  view,
  sort: z
    .enum(SORTS)
    .optional()
    .meta({
      description:
        '`created`: newest first, the default. `deadline`: pending requests, the one that expires first before the others. ' +
        '`urgency`: the same, with urgent requests before all others.',
    }),
  agent_slug: slug('Only requests of this agent.').optional(),
  q: z
    .string()
    .max(200)
    .optional()
    .meta({
      description:
        'Words, ignoring case. Each is part of the id, the tool, its server, the slug or name of the agent, the name of the instance, or the first ' +
        '4,000 characters of the arguments as they were sent.',
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

/** By urgency, also 1 for an urgent request and 0 for others. */
const cursorKeys = (sort: Sort) =>
  z
    .tuple(
      [
        ...([z.literal('requests'), z.literal(sort)] as const),
        ...([z.iso.datetime({ precision: 3 }), z.uuid()] as const),
      ],
      z.literal([0, 1]),
    )
    .refine(({ length }) => length === (sort === 'urgency' ? 5 : 4));

/** Throws 400 for parameters that contradict each other. */
export function filterOf(
  { agent_slug: agentSlug, cursor, offset, ...query }: ListQuery,
  shownAs: z.output<typeof view>,
): RequestFilter {
  const { sort = 'created' } = query;
  if (cursor !== undefined && offset !== undefined)
    throw refusal('/query/offset', 'must be absent beside cursor');
  const isPending = sort !== 'created';
  if (isPending && query.status !== undefined && query.status !== 'pending')
    throw refusal('/query/status', `must be pending or absent when sort is ${sort}`);
  const keys = decodeCursor(cursor, cursorKeys(sort));
  return {
    ...query,
    sort,
    agentSlug,
    offset: offset ?? 0,
    status: isPending ? 'pending' : query.status,
    after: keys && { at: new Date(keys[2]), id: keys[3], isUrgent: keys[4] === 1 },
    paged: shownAs === 'summary' || query.sort !== undefined || cursor !== undefined,
  };
}

function refusal(pointer: string, message: string) {
  return invalid([{ pointer, code: 'invalid_value', message }]);
}

export function nextOf({ sort = 'created' }: RequestFilter, next: RequestPosition | undefined) {
  if (!next) return {};
  const keys = [sort, next.at.toISOString(), next.id];
  return {
    next_cursor: encodeCursor([
      'requests',
      ...keys,
      ...(sort === 'urgency' ? [Number(next.isUrgent)] : []),
    ]),
  };
}
