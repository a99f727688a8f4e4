/** What uses an escalation path. */
import { z } from 'zod';
import {
  getEscalationPathUses,
  MOST_USES,
  MOST_WAITING,
  type EscalationPathUse,
  type EscalationPathUses,
} from '../../src/services/escalation/escalation-path-uses.ts';
import { formatDuration } from '../../src/domain/durations.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { slug, uuid } from '../http/schema.ts';
import { revisionNumber } from '../revisions.ts';

const useSchema = z
  .strictObject({
    pipeline_id: uuid('The pipeline.'),
    scope: z.enum(['organization', 'agent']).meta({ description: 'Whose pipeline it is.' }),
    agent_slug: slug('The agent, for the pipeline of an agent.').optional(),
    revision: revisionNumber().meta({ description: 'Its active revision.' }),
    block_key: slug(
      'Id of the block that names the path. Absent where the path is the default of the pipeline.',
    ).optional(),
    block_name: z.string().optional().meta({ description: 'Name of the block.' }),
  })
  .meta({
    id: 'EscalationPathUse',
    description:
      'A block of an active pipeline that names a path, or a pipeline with this default.',
  });

const usesSchema = z.strictObject({
  uses: z.array(useSchema).meta({
    description: `By pipeline, in the order of its blocks. At most ${MOST_USES}, of at most 100 pipelines.`,
  }),
  truncated: z.boolean().meta({ description: 'Whether there are more uses than these.' }),
  waiting_count: z.int().meta({
    description: `How many pending requests are on the path, counted up to ${MOST_WAITING}. They keep the revision that they were handed to.`,
  }),
  timeouts: z
    .strictObject({
      requests: z.int().meta({ description: 'How many requests count.' }),
      median: z.string().meta({ description: 'Half of them had so long or less.' }),
      p95: z.string().meta({ description: '95 % of them had so long or less.' }),
    })
    .optional()
    .meta({
      description:
        'How long requests on the path had, from their creation to their deadline: those of the last 30 days, the newest 2,000 at most. Absent where there are none.',
    }),
});

const presentTimeouts = ({
  requests,
  medianSeconds,
  longSeconds,
}: EscalationPathUses['timeouts']) =>
  medianSeconds === null || longSeconds === null
    ? undefined
    : { requests, median: formatDuration(medianSeconds), p95: formatDuration(longSeconds) };

const presentUse = (use: EscalationPathUse) =>
  present(useSchema, {
    ...use,
    agentSlug: use.agentSlug,
    blockKey: use.blockKey,
    blockName: use.blockName,
  });

export const escalationPathUsesEndpoint: Endpoint = defineEndpoint({
  operationId: 'getEscalationPathUses',
  method: 'get',
  path: '/api/v1/escalation-paths/{path_key}/uses',
  tag: 'Escalation paths',
  summary: 'List what uses an escalation path',
  description:
    'The active pipelines that name the path, how many requests wait on it, and how long those of the last 30 days had. Only pipelines that the caller may read (`pipeline.read`) ' +
    'and requests that they may see: where others use the path, archiving it is refused although this list is empty.',
  auth: 'product',
  permission: 'escalation_path.read',
  params: z.strictObject({ path_key: slug('Key of the path.') }),
  success: {
    status: 200,
    description: 'What uses it.',
    body: usesSchema,
    example: {
      uses: [
        {
          pipeline_id: '0198f3a2-4d00-7c5d-8e2f-6a7b8c9d0e1f',
          scope: 'agent',
          agent_slug: 'support-bot',
          revision: 4,
          block_key: 'large-refunds',
          block_name: 'Large refunds',
        },
      ],
      truncated: false,
      waiting_count: 12,
      timeouts: { requests: 212, median: '30m', p95: '4h' },
    },
  },
  errors: [],
  handler: async ({ principal, params: { path_key } }, context) => {
    const { uses, truncated, waitingCount, timeouts } = await getEscalationPathUses(
      context,
      principal,
      path_key,
    );
    const had = presentTimeouts(timeouts);
    return {
      body: {
        uses: uses.map(presentUse),
        ...{ truncated, waiting_count: waitingCount },
        ...(had && { timeouts: had }),
      },
    };
  },
});
