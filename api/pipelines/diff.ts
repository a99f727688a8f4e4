/** What a revision of a pipeline changes from another one. */
import { z } from 'zod';
import { pipelineKind } from '../../src/services/pipelines/request-approval-pipelines.ts';
import { diffPipelineRevision } from '../../src/services/pipelines/diff.ts';
import { knownMembers } from '../../src/platform/json/json-members.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { printed } from '../http/schema.ts';
import { readRevisionNumber, revisionNumber, revisionParam } from '../revisions.ts';
import type { PipelineResource } from './pipeline-resource.ts';

const blockId = () => z.string().meta({ description: 'The block.' });
const sentence = (description: string) =>
  z.string().meta({
    description: `${description} In English, shortened after some 500 characters; names and values in it are data.`,
  });
const placedBlocks = (description: string, document: string) =>
  printed(
    z
      .array(
        z.strictObject({
          block_id: blockId(),
          name: z.string().meta({ description: 'Its name.' }),
          type: z.string().meta({ description: 'Its type.' }),
          sentence: sentence('What it does.'),
          pointer: z.string().meta({ description: `Where it is in the ${document} revision.` }),
        }),
      )
      .meta({ description }),
  );
const valueOf = (description: string) => z.unknown().optional().meta({ description, override: {} });

const diffSchema = z
  .strictObject({
    revision: revisionNumber().meta({ description: 'The later revision of the comparison.' }),
    against: revisionNumber().meta({ description: 'The revision that it is compared with.' }),
    added: placedBlocks('Blocks that only `revision` has.', 'later'),
    removed: placedBlocks('Blocks that only `against` has.', 'earlier'),
    moved: printed(
      z
        .array(
          z.strictObject({
            block_id: blockId(),
            from: z.string().meta({ description: 'Where it was.' }),
            to: z.string().meta({ description: 'Where it is.' }),
          }),
        )
        .meta({
          description:
            'Blocks in another branch than before, or in another order among the blocks that stayed. As few as possible.',
        }),
    ),
    changed: printed(
      z
        .array(
          z.strictObject({
            block_id: blockId(),
            sentence_before: sentence('What it did.'),
            sentence_after: sentence(
              'What it does; the same when only members such as its name differ.',
            ),
            changes: z
              .array(
                z.strictObject({
                  pointer: z.string().meta({ description: 'The member, relative to the block.' }),
                  before: valueOf('Its value before; absent when it was added.'),
                  after: valueOf('Its value after; absent when it was removed.'),
                }),
              )
              .meta({ description: 'What differs. Lists of different lengths differ as a whole.' }),
          }),
        )
        .meta({
          description: 'Blocks of both revisions that differ, without regard to blocks in them.',
        }),
    ),
    default_escalation_path: z
      .strictObject({
        before: z.string().optional().meta({ description: 'The key before, if there was one.' }),
        after: z.string().optional().meta({ description: 'The key after, if there is one.' }),
      })
      .optional()
      .meta({ description: 'Present when it differs.' }),
  })
  .meta({ id: 'PipelineDiff', description: 'What a revision changes. Numbers keep every digit.' });

const example = {
  revision: 3,
  against: 2,
  added: [
    {
      block_id: 'no-drops',
      name: 'No dropped tables',
      type: 'cel',
      sentence: 'Deny when statement contains "DROP TABLE"',
      pointer: '/blocks/0',
    },
  ],
  removed: [],
  moved: [],
  changed: [
    {
      block_id: 'small-refunds',
      sentence_before: 'Approve when the tool is refund_payment and amount is less than 50',
      sentence_after: 'Approve when the tool is refund_payment and amount is less than 75',
      changes: [{ pointer: '/config/when/all/1/value', before: 50, after: 75 }],
    },
  ],
};

const against = z
  .string()
  .optional()
  .meta({
    description: 'Number of the revision to compare with. Default: the active one.',
    override: { type: 'integer', format: 'int64', minimum: 1 },
  });

export function diffEndpoint(resource: PipelineResource): Endpoint {
  const { operation, noun, path, tag, params, documentKey } = resource;
  return defineEndpoint({
    operationId: `diff${operation}Revision`,
    method: 'get',
    path: `${path}/revisions/{revision}/diff`,
    tag,
    summary: `Compare a revision of ${noun} with another one`,
    description:
      'What changes from `against` to `revision`, in branches, too. Without `against` it is compared with the active revision; while none is active, `against` is required.',
    auth: 'product',
    isHeavy: true,
    permission: 'pipeline.read',
    permissionAt: (given) => pipelineKind.targetOf(documentKey(given)),
    params: z.strictObject({ ...params, revision: revisionParam }),
    query: z.strictObject({ against }),
    success: { status: 200, description: 'The changes.', body: diffSchema, example },
    errors: [],
    handler: async ({ principal, params: given, query }, context) => {
      const { text, ...numbers } = await diffPipelineRevision(context, principal, {
        documentKey: documentKey(given),
        revision: readRevisionNumber(given.revision),
        against:
          query.against === undefined
            ? undefined
            : readRevisionNumber(query.against, '/query/against'),
      });
      const lists = ['added', 'removed', 'moved', 'changed'];
      return { body: { ...numbers, ...knownMembers(text, lists) } };
    },
  });
}
