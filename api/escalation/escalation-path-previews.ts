/** When each level of a path would fire if nobody answered. */
import { z } from 'zod';
import { KEY_PATTERN } from '../../src/domain/keys.ts';
import { invalid } from '../../src/domain/errors.ts';
import { WALK_EVENT_NAMES, walkEventName } from '../../src/domain/escalation/event-names.ts';
import type { ExactValue } from '../../src/platform/exact-json.ts';
import {
  previewEscalationPath,
  type PreviewedStep,
  type PreviewRequest,
} from '../../src/services/escalation/escalation-path-previews.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { DOCUMENT_ERRORS } from './escalation-document-schema.ts';
import { callSample, emptyObject } from '../pipelines/pipeline-preview-schema.ts';
import { slug, timestamp, timestampInput, uuid } from '../http/schema.ts';

const bodySchema = z
  .strictObject({
    document: z
      .custom<ExactValue>((value) => value !== undefined)
      .meta({
        description:
          'A whole path, saved or not. Every targeted member and team must belong to the organization.',
        override: { $ref: '#/components/schemas/EscalationPathDocument' },
      })
      .optional(),
    path_key: z
      .string()
      .regex(KEY_PATTERN)
      .optional()
      .meta({ description: 'Instead of a document: key of a path.' }),
    revision: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'With `path_key`: which of its revisions.' }),
    starts_at: timestampInput(
      'When the request would be handed to people, in the years from 1970 to 2999; now when absent.',
    ).optional(),
    urgency: z
      .enum(['standard', 'interrupt'])
      .default('standard')
      .meta({ description: 'How urgent it would be then.' }),
    request: callSample.optional().meta({
      description:
        'The call that would wait, for conditions about it. Without it none of them holds. Comes with `agent`.',
    }),
    agent: z
      .strictObject({
        slug: slug('Slug of the agent.'),
        name: z.string().meta({ description: 'Display name of the agent.' }),
      })
      .optional()
      .meta({ description: 'The agent that would make the call. Comes with `request`.' }),
  })
  .meta({
    description: 'Either `document`, or `path_key` and `revision`; and under which circumstances.',
  });

type Body = z.output<typeof bodySchema>;

const targetSchema = z
  .strictObject({
    type: z
      .enum(['user', 'team', 'broadcast'])
      .meta({ description: 'A member, a team, or everybody who may decide.' }),
    id: uuid('Membership or team id; absent for a broadcast.').optional(),
    name: z
      .string()
      .optional()
      .meta({ description: 'Name of the member or team; absent for a broadcast.' }),
  })
  .meta({ id: 'PreviewedTarget', description: 'Who would be asked.' });

const stepSchema = z
  .strictObject({
    at: timestamp('When it would happen.'),
    kind: z.enum(WALK_EVENT_NAMES).meta({
      description:
        'What would happen, as in the timeline of a request. `team_policy_…` leave the path at its level.',
    }),
    node_id: z.string().meta({ description: 'Node of the path at which it happens.' }),
    run: z.int().meta({ description: 'Run of the path, from 1.' }),
    team: z
      .strictObject({
        id: uuid('The team.'),
        name: z.string().optional().meta({ description: 'Its name.' }),
        node_id: z.string().meta({ description: "Node of the team's policy." }),
        run: z.int().meta({ description: 'Run of the policy, from 1.' }),
      })
      .optional()
      .meta({
        description:
          "Present for what happens in a team's escalation policy, inside the level `node_id`.",
      }),
    targets: z
      .array(targetSchema)
      .meta({ description: 'Who is asked at a level; empty otherwise.' }),
    until: timestamp('End of the wait at a level, or of a deferral.').optional(),
    local_times: z
      .array(
        z.strictObject({
          timezone: z.string().meta({ description: 'IANA name.' }),
          at: z
            .string()
            .meta({ description: '`at` as clocks there show it, with their offset from UTC.' }),
        }),
      )
      .meta({
        description:
          'In every time zone in which the path, and the policy it is in, has working hours. Members have no zones.',
      }),
  })
  .meta({ id: 'PreviewedStep', description: 'Something that would happen.' });

function show({ teamName, team, nodeId, localTimes, ...step }: PreviewedStep) {
  return {
    ...step,
    kind: walkEventName({ kind: step.kind, ...(team && { team }) }),
    targets: [...step.targets],
    node_id: nodeId,
    ...(team && { team: { id: team.teamId, name: teamName, node_id: team.nodeId, run: team.run } }),
    local_times: [...localTimes],
  };
}

function requestOf({
  document,
  path_key: pathKey,
  revision,
  starts_at: startsAt,
  urgency,
  request,
  agent,
}: Body): PreviewRequest {
  const named = pathKey !== undefined && revision !== undefined;
  const half = (pathKey === undefined) !== (revision === undefined);
  if (half || (document !== undefined) === named) {
    throw invalid([
      {
        pointer: '/document',
        code: 'invalid_value',
        message: 'give either a document, or path_key and revision',
      },
    ]);
  }
  if ((request === undefined) !== (agent === undefined)) {
    const pointer = request === undefined ? '/request' : '/agent';
    throw invalid([
      { pointer, code: 'required', message: 'is required: request and agent come together' },
    ]);
  }
  return {
    path: named ? { pathKey, revision } : { document: document ?? null },
    ...(startsAt && { startsAt }),
    urgency,
    ...(request &&
      agent && {
        facts: {
          request,
          agent,
          previous_metadata: { organization: emptyObject(), agent: emptyObject() },
        },
      }),
  };
}

const previewEndpoint = defineEndpoint({
  operationId: 'previewEscalationPath',
  method: 'post',
  path: '/api/v1/escalation-paths/preview',
  tag: 'Escalation paths',
  summary: 'Preview the schedule of a path',
  description:
    'When each level would fire if nobody answered, from any instant. Everybody who is named is taken to be there; teams with an active ' +
    'escalation policy are asked by it, as it is now. Nothing is saved and nobody is told. A request is over at its deadline, which the ' +
    'schedule does not know.',
  auth: 'product',
  bodyLimit: BODY_BYTES.large,
  permission: 'escalation_path.read',
  body: bodySchema,
  requestExample: {
    path_key: 'on-call',
    revision: 1,
    starts_at: '2026-03-06T16:30:00Z',
    urgency: 'standard',
  },
  success: {
    status: 200,
    description: 'The schedule.',
    body: z
      .strictObject({
        starts_at: timestamp('Where the schedule starts.'),
        steps: z
          .array(stepSchema)
          .meta({ description: 'What would happen, in order; at most 500 steps.' }),
        truncated: z.boolean().meta({ description: 'Whether more would follow.' }),
      })
      .meta({ id: 'EscalationPathPreview', description: 'The schedule of a path.' }),
    example: {
      starts_at: '2026-03-06T16:30:00.000Z',
      steps: [
        {
          at: '2026-03-06T16:30:00.000Z',
          kind: 'level_notified',
          node_id: '0198f3a2-8e20-7b55-a4f5-708192a3b4c5',
          run: 1,
          targets: [
            { type: 'user', id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70', name: 'Ada Lovelace' },
          ],
          until: '2026-03-06T16:45:00.000Z',
          local_times: [{ timezone: 'Europe/Berlin', at: '2026-03-06T17:30:00.000+01:00' }],
        },
      ],
      truncated: true,
    },
  },
  errors: ['not_found', ...DOCUMENT_ERRORS],
  handler: async ({ principal, body }, context) => {
    const { startsAt, steps, truncated } = await previewEscalationPath(
      context,
      principal,
      requestOf(body),
    );
    return { body: { starts_at: startsAt, steps: steps.map(show), truncated } };
  },
});

export const escalationPathPreviewEndpoints: readonly Endpoint[] = [previewEndpoint];
