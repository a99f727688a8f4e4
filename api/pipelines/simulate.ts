/** What a document would have answered to requests of the past. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { pipelineMembers } from '../../src/domain/pipelines/document.ts';
import type { PipelineKey } from '../../src/domain/pipelines/request-approval-pipelines.ts';
import { stringifyExact } from '../../src/platform/json/exact-json.ts';
import { pipelineKind } from '../../src/services/pipelines/request-approval-pipelines.ts';
import { simulatePipeline } from '../../src/services/pipelines/simulate.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { nextCursor, readByDomain, timestampInput, uuid } from '../http/schema.ts';
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
          tool: z.string().meta({ description: 'Its tool.' }),
          was: z.enum(OUTCOMES).meta({ description: 'The verdict of the pipelines then.' }),
          would_be: z.enum(OUTCOMES).meta({ description: 'Their verdict with the document.' }),
          block_id: z.string().optional().meta({
            description:
              'The block that would decide, in either pipeline; absent when every block passes the request on.',
          }),
        }),
      )
      .max(100)
      .meta({ description: 'The first 100 changes of this page, newest request first.' }),
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
      tool: 'refund',
      was: 'human',
      would_be: 'approve',
      block_id: 'small-refunds',
    },
  ],
};

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
      'made with. Newest requests come first. Nothing is saved, and no other system is asked. A block that asks one takes the result that the request got then ' +
      'from a block with the same `content_hash`. Without such a result the request is `undetermined`. Only requests that have a verdict of the pipelines ' +
      'and that the caller may see count. It also needs `request.read` for the same scope. A page ends after 1 second of work, with fewer requests than `limit`.',
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
      return { body: { ...simulation, next_cursor } };
    },
  });
}
