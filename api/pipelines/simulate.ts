/** What a document would have concluded about past requests. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { pipelineMembers } from '../../src/domain/pipelines/document.ts';
import type { PipelineKey } from '../../src/domain/pipelines/request-approval-pipelines.ts';
import { JsonText, stringifyExact } from '../../src/platform/json/exact-json.ts';
import { pipelineKind } from '../../src/services/pipelines/request-approval-pipelines.ts';
import { simulatePipeline, type SimulatedChange } from '../../src/services/pipelines/simulate.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { nextCursor, readByDomain, timestamp, timestampInput, uuid } from '../http/schema.ts';
import { emptyObject } from './pipeline-preview-schema.ts';
import type { PipelineResource } from './pipeline-resource.ts';

const simulationBody = z
  .strictObject({
    blocks: readByDomain(pipelineMembers.blocks),
    default_escalation_path: readByDomain(pipelineMembers.default_escalation_path),
    from_at: timestampInput('Requests created at this instant or later.').optional(),
    to_at: timestampInput('Requests created before this instant.').optional(),
    limit: z
      .int()
      .min(1)
      .max(2_000)
      .default(1_000)
      .meta({ description: 'How many requests a page evaluates at most.' }),
    cursor: z.string().min(1).max(1000).optional().meta({
      description:
        'The `next_cursor` of the page before. The document, `from_at` and `to_at` must be those of that page, or the response is 400.',
    }),
  })
  .refine(({ from_at: from, to_at: to }) => !from || !to || from < to, {
    path: ['to_at'],
    error: 'must be after from_at',
  });

const OUTCOMES = ['approve', 'deny', 'human'] as const;
const countOf = (description: string) => z.int().meta({ description });

const amountSchema = z
  .strictObject({
    value: z
      .custom<JsonText>((value) => value instanceof JsonText)
      .meta({ description: 'The number, digit for digit.', override: { type: 'number' } }),
    currency: z.string().optional().meta({ description: 'As the call says it.' }),
  })
  .meta({
    id: 'CallAmount',
    description: 'The amount of money that a call moves, if it shows one.',
  });

const simulationSchema = z
  .strictObject({
    evaluated: countOf('How many requests this page evaluated.'),
    same: countOf('Of these, how many would have had the same outcome.'),
    changed: countOf('Of these, how many would have had another one.'),
    undetermined: countOf(
      'Of these, how many reach a block that asks another system, and got no result for the same question then.',
    ),
    by_outcome: z
      .strictObject({
        approve: countOf('Those that would have been approved.'),
        deny: countOf('Those that would have been denied.'),
        human: countOf('Those that would have gone to a person.'),
      })
      .meta({ description: 'How many would have had each outcome.' }),
    changes: z
      .array(
        z.strictObject({
          id: uuid('The request.'),
          created_at: timestamp('When it was created.'),
          tool: z.string().meta({ description: 'Its tool.' }),
          title: z.string().optional().meta({
            description:
              'What a presentation calls the call; absent where nothing is known about the tool.',
          }),
          excerpt: z.string().meta({
            description:
              'One line of its arguments, as in the summary of a request. Hidden values are left out.',
          }),
          amount: amountSchema.optional(),
          was: z.enum(OUTCOMES).meta({ description: 'The verdict of the pipelines then.' }),
          would_be: z.enum(OUTCOMES).meta({ description: 'Their verdict with the document.' }),
          block_id: z.string().optional().meta({
            description:
              'The block that would decide, in either pipeline; absent when every block passes the request on.',
          }),
        }),
      )
      .max(100)
      .meta({
        description:
          'The first 100 changes of this page: those that would newly be approved before others, and of these the largest amounts first. ' +
          'Otherwise the newest requests come first.',
      }),
    by_change: z
      .array(
        z.strictObject({
          was: z.enum(OUTCOMES).meta({ description: 'The verdict of the pipelines then.' }),
          would_be: z.enum(OUTCOMES).meta({ description: 'Their verdict with the document.' }),
          count: countOf('How many of the requests that this page evaluated.'),
        }),
      )
      .meta({ description: 'All changes on this page, counted by old and new outcome.' }),
    undetermined_at: z
      .array(
        z.strictObject({
          scope: z
            .enum(['organization', 'agent'])
            .meta({ description: 'Whose pipeline the block is in.' }),
          block_id: z.string().meta({ description: 'The block that lacks a result.' }),
          count: countOf('How many requests reach it without a result.'),
        }),
      )
      .max(100)
      .meta({ description: 'The blocks at which requests are undetermined, most frequent first.' }),
    ends_at: timestamp(
      'When the last request was created that this page looked at: the next page has older ones. Absent on the last page.',
    ).optional(),
    next_cursor: nextCursor(),
  })
  .meta({ id: 'PipelineSimulation', description: 'The verdicts of a pipeline on past requests.' });

const example = {
  evaluated: 1000,
  same: 940,
  changed: 52,
  undetermined: 8,
  by_outcome: { approve: 700, deny: 12, human: 280 },
  changes: [
    {
      id: '0198f3a2-7d10-7f33-82d3-5e6f708192a3',
      created_at: '2026-03-07T18:05:00.000Z',
      tool: 'refund',
      title: 'Refund 1249.95 EUR of pay_81',
      excerpt: 'Refund 1249.95 EUR of pay_81',
      amount: { value: 1249.95, currency: 'EUR' },
      was: 'human',
      would_be: 'approve',
      block_id: 'small-refunds',
    },
  ],
  by_change: [{ was: 'human', would_be: 'approve', count: 52 }],
  undetermined_at: [{ scope: 'agent', block_id: 'fraud-check', count: 8 }],
};

const presentChange = ({ amount, ...change }: SimulatedChange) => ({
  ...change,
  ...(amount && { amount: { ...amount, value: new JsonText(amount.value) } }),
});

/** A cursor continues one simulation: another document or other instants would mix two. */
const cursorKeys = (documentKey: PipelineKey, question: string) =>
  z.tuple([
    z.literal('simulation'),
    z.literal(documentKey),
    z.literal(question),
    z.iso.datetime().transform((at) => new Date(at)),
    z.uuid(),
  ]);

const digestOf = (question: object): string =>
  createHash('sha256').update(stringifyExact(question)).digest('base64url');

export function simulateEndpoint(resource: PipelineResource): Endpoint {
  const { operation, noun, path, tag, params, documentKey, requestExample } = resource;
  return defineEndpoint({
    operationId: `simulate${operation}`,
    method: 'post',
    path: `${path}/simulate`,
    tag,
    summary: `Simulate a revision of ${noun} on past requests`,
    description:
      'Evaluates stored requests as if the document had been the pipeline. The other pipeline is the revision that each request was ' +
      'made with. A page goes from newer requests to older ones. Nothing is saved, and no other system is asked. A block that asks one takes the result that the request got then ' +
      'from a block with the same `content_hash`. Without such a result the request is `undetermined`. Only requests that have a verdict of the pipelines ' +
      'and that the caller may see count. It also needs `request.read` for the same scope. A page ends after 1 second, with fewer requests than `limit`.',
    auth: 'product',
    permission: 'pipeline.write',
    permissionAt: (given) => pipelineKind.targetOf(documentKey(given)),
    params: z.strictObject({ ...params }),
    bodyLimit: BODY_BYTES.large,
    body: simulationBody,
    documents: ['/blocks'],
    requestExample: {
      ...(requestExample as object),
      from_at: '2026-03-01T00:00:00Z',
      to_at: '2026-03-08T00:00:00Z',
      limit: 1000,
    },
    success: {
      status: 200,
      description: 'One page of the simulation.',
      body: simulationSchema,
      example,
    },
    errors: ['unknown_block_type', 'not_found'],
    handler: async ({ principal, params: given, body, signal }, context) => {
      const { from_at, to_at, limit, cursor, ...document } = body;
      const key = documentKey(given);
      const simulated = Object.assign(emptyObject(), document);
      const question = digestOf({ simulated, from_at, to_at });
      const position = decodeCursor(cursor, cursorKeys(key, question), '/cursor');
      const { simulation, next } = await simulatePipeline(context, principal, {
        documentKey: key,
        body: simulated,
        ...{ from: from_at, to: to_at, limit, signal },
        after: position && { createdAt: position[3], id: position[4] },
      });
      const at = next?.createdAt.toISOString() ?? '';
      const next_cursor = next && encodeCursor(['simulation', key, question, at, next.id]);
      return {
        body: {
          ...simulation,
          undetermined_at: [...simulation.undetermined_at],
          by_change: [...simulation.by_change],
          changes: simulation.changes.map(presentChange),
          ...(next && { ends_at: next.createdAt }),
          next_cursor,
        },
      };
    },
  });
}
