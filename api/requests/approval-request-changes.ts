/** The changes of the review queue: a long poll. */
import { z } from 'zod';
import type { RequestFilter } from '../../src/services/requests/queue.ts';
import {
  awaitChanges,
  type ChangeCursor,
  type QueueChanges,
} from '../../src/services/requests/queue/changes.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { uuid, waitQuery } from '../http/schema.ts';
import { scopeQuery } from './request-list-query.ts';
import { presentSummary, summaryExample, summarySchema } from './request-summary-schema.ts';

type QueueScope = RequestFilter['scope'];

const count = (which: string) =>
  z.int().meta({ description: `How many pending requests ${which}, counted up to 1,000.` });

const changesSchema = z
  .strictObject({
    changed: z.array(summarySchema).meta({
      description:
        'Pending requests of the scope that are new or have changed, newest first. One can be named again without a change.',
    }),
    gone: z.array(uuid('A request.')).meta({
      description:
        'Requests of the scope that are not pending any more, and those that the caller can no longer see in it.',
    }),
    reset: z
      .literal(true)
      .optional()
      .meta({
        description:
          'Present when changes are not named one by one, so that the list has to be read again: more than 200, or the caller’s access changed ' +
          'between two calls.',
      }),
    counts: z
      .strictObject({
        notified: count('the caller was notified of and may decide'),
        decidable: count('the caller may decide'),
        visible: count('the caller may see'),
      })
      .meta({ description: 'Of each scope, whatever scope the call names.' }),
    cursor: z.string().meta({ description: 'Pass it as `after` to the next call.' }),
  })
  .meta({ id: 'RequestChanges', description: 'What changed in a queue.' });

/** A place between transactions: `xmin:xmax:` and those between that had not ended. */
const SNAPSHOT = /^\d{1,19}:\d{1,19}:(?:\d{1,19}(?:,\d{1,19})*)?$/;

/** The database refuses other texts. */
function isSnapshot(text: string): boolean {
  if (!SNAPSHOT.test(text)) return false;
  const [oldest = 0n, next = 0n, ...open] = text
    .split(/[:,]/)
    .filter((part) => part !== '')
    .map(BigInt);
  const ordered = [oldest, ...open].every((each, index, all) => {
    const before = all[index - 1];
    return before === undefined || before <= each;
  });
  return oldest > 0n && oldest <= next && ordered && open.every((each) => each < next);
}

const cursorKeys = (scope: QueueScope) =>
  z.tuple([
    z.literal('changes'),
    z.literal(scope),
    z.string().max(64),
    z.string().refine(isSnapshot),
  ]);

const encoded = (scope: QueueScope, { access, snapshot }: ChangeCursor): string =>
  encodeCursor(['changes', scope, access, snapshot]);

function decoded(scope: QueueScope, after: string | undefined): ChangeCursor | undefined {
  const keys = decodeCursor(after, cursorKeys(scope), '/query/after');
  return keys && { access: keys[2], snapshot: keys[3] };
}

const presentChanges = (scope: QueueScope, changes: QueueChanges) => ({
  changed: changes.changed.map(presentSummary),
  gone: changes.gone,
  ...(changes.isReset && { reset: true }),
  counts: changes.counts,
  cursor: encoded(scope, changes.cursor),
});

export const approvalRequestChangeEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listRequestChanges',
    method: 'get',
    path: '/api/v1/requests/changes',
    tag: 'Review queue',
    summary: 'Read what changed in the queue, or wait until something does',
    description:
      'Without `after`, the response has counts and a cursor, and nothing else. Call it so first, then read the list, then call it with `after` again ' +
      'and again: no change is missed. The response comes once something has changed in the scope, with a claim, a notified level, a decision or a ' +
      'new request, and after `wait` at the latest. A change of the caller’s access also counts. The wait ends with the credential.',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    query: z.strictObject({
      after: z
        .string()
        .min(1)
        .max(4_000)
        .optional()
        .meta({ description: 'The `cursor` of the response before, of the same scope.' }),
      scope: scopeQuery(),
      wait: waitQuery('Hold the response until something changes, at most this long'),
    }),
    success: {
      status: 200,
      description: 'The changes, which may be none.',
      body: changesSchema,
      example: {
        changed: [summaryExample],
        gone: ['01970c4e-7777-7c3e-9d52-5f6f4f3f2a11'],
        counts: { notified: 2, decidable: 5, visible: 17 },
        cursor: encoded('notified', { access: 'zxKyKQJbAWPoZpaz', snapshot: '7150:7153:7151' }),
      },
    },
    errors: [],
    handler: async (
      { principal, query: { after, scope, wait = 0 }, signal, authenticateAgain },
      context,
    ) => {
      const changes = await awaitChanges(context, principal, {
        ...{ scope, after: decoded(scope, after), ms: wait },
        ...{ signal, authenticateAgain },
      });
      return { body: presentChanges(scope, changes) };
    },
  }),
];
