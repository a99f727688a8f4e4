/** Where the requests of the last days ended in a pipeline. */
import { z } from 'zod';
import { pipelineKind } from '../../src/services/pipelines/request-approval-pipelines.ts';
import { readConcludingBlocks } from '../../src/services/pipelines/concluding-blocks.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { timestamp } from '../http/schema.ts';
import type { PipelineResource } from './pipeline-resource.ts';

const concludingBlocksSchema = z
  .strictObject({
    requests: z.int().meta({
      description: 'How many requests count: those that have a verdict of the pipelines.',
    }),
    from_at: timestamp(
      'The oldest request that counts was created then or later. Absent when there is none.',
    ).optional(),
    blocks: z
      .array(
        z.strictObject({
          block_id: z.string().meta({ description: 'The block, in any revision.' }),
          requests: z.int().meta({
            description:
              'How many requests ended at it. At a branch: those that none of its blocks decided.',
          }),
        }),
      )
      .meta({ description: 'The blocks of this pipeline, most frequent first.' }),
  })
  .meta({ id: 'ConcludingBlocks', description: 'Where requests ended in a pipeline.' });

export function concludingBlocksEndpoint(resource: PipelineResource): Endpoint {
  const { operation, noun, path, tag, params, documentKey } = resource;
  return defineEndpoint({
    operationId: `count${operation}ConcludingBlocks`,
    method: 'get',
    path: `${path}/concluding_blocks`,
    tag,
    summary: `Count where requests ended in ${noun}`,
    description:
      'Of the requests of the last 7 days, 2,000 at most and the newest ones, how many each block decided or handed to people. The rest ended in the other ' +
      'pipeline, or every block passed them on. Only requests that the caller may see count. It also needs `request.read` for the same scope.',
    auth: 'product',
    permission: 'pipeline.read',
    permissionAt: (given) => pipelineKind.targetOf(documentKey(given)),
    isHeavy: true,
    params: z.strictObject({ ...params }),
    success: {
      status: 200,
      description: 'The counts.',
      body: concludingBlocksSchema,
      example: {
        requests: 1240,
        from_at: '2026-03-01T10:00:00.000Z',
        blocks: [
          { block_id: 'small-refunds', requests: 941 },
          { block_id: 'no-destruction', requests: 5 },
        ],
      },
    },
    errors: ['not_found'],
    handler: async ({ principal, params: given }, context) => {
      const { requests, from, blocks } = await readConcludingBlocks(
        context,
        principal,
        documentKey(given),
      );
      return {
        body: {
          requests,
          ...(from && { from_at: from }),
          blocks: blocks.map(({ blockId, ...each }) => ({ block_id: blockId, ...each })),
        },
      };
    },
  });
}
