/** When each level of a path would fire if no one decided. */
import { z } from 'zod';
import { pathDocumentSchema, policyDocumentSchema } from '../../src/domain/escalation/document.ts';
import { parseDuration } from '../../src/domain/durations.ts';
import { invalid } from '../../src/domain/errors.ts';
import {
  WALK_EVENT_NAMES,
  walkEventData,
  walkEventName,
} from '../../src/domain/escalation/event-names.ts';
import {
  previewEscalationPath,
  type PathPreview,
  type PreviewedStep,
  type PreviewRequest,
} from '../../src/services/escalation/escalation-path-previews.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { notificationStepSchema } from '../notifications/notification-step-schema.ts';
import { DOCUMENT_ERRORS } from './escalation-document-schema.ts';
import { presentWarning, warningsSchema } from './escalation-warnings-schema.ts';
import { callSample, emptyObject } from '../pipelines/pipeline-preview-schema.ts';
import { duration, readByDomain, slug, timestamp, timestampInput, uuid } from '../http/schema.ts';

const bodySchema = z
  .strictObject({
    document: readByDomain(z.union([pathDocumentSchema, policyDocumentSchema]))
      .meta({
        description:
          'A path, saved or not: a document, the body that creates a path, or a revision as read. Every targeted member and ' +
          'team must belong to the organization.',
      })
      .optional(),
    team_id: uuid(
      'The team whose escalation policy the `document` is, in place of a path. The preview is that of a level that asks the team, which lasts as long as ' +
        'the policy. Requires `team.read` for the team.',
    ).optional(),
    path_key: slug('Key of a saved path, instead of a document.').optional(),
    revision: z.int().min(1).optional().meta({
      description: 'A revision of that path. Default: the active one.',
    }),
    starts_at: timestampInput(
      'When the request would be handed to people, in the years from 1970 to 2999. Default: now.',
    ).optional(),
    urgency: z
      .enum(['standard', 'interrupt'])
      .default('standard')
      .meta({ description: 'How urgent it would be then.' }),
    timeout: duration('The `timeout` of the request. Then the preview says what comes too late.', {
      min: '1s',
      max: '168h',
    }).optional(),
    request: callSample.optional().meta({
      description:
        'The call that would wait, for conditions about the request. Without it no such condition holds. Requires `agent`.',
    }),
    agent: z
      .strictObject({
        slug: slug('Slug of the agent.'),
        name: z.string().meta({ description: 'Display name of the agent.' }),
      })
      .optional()
      .meta({
        description:
          'The agent that would make the call. Only people who may decide for it are notified. Without it, everyone counts who may ' +
          'decide for any agent. Requires `request`.',
      }),
  })
  .meta({
    description: 'Either `document` or `path_key`, and the circumstances of the request.',
  });

type Body = z.output<typeof bodySchema>;

const targetSchema = z
  .strictObject({
    type: z
      .enum(['user', 'team', 'broadcast'])
      .meta({ description: 'A member, a team, or all who may decide.' }),
    id: uuid('Membership or team id; absent for a broadcast.').optional(),
    name: z
      .string()
      .optional()
      .meta({ description: 'Name of the member or team; absent for a broadcast.' }),
  })
  .meta({ id: 'PreviewedTarget', description: 'A target of a level.' });

const stepSchema = z
  .strictObject({
    at: timestamp('When it would happen.'),
    kind: z.enum(WALK_EVENT_NAMES).meta({
      description:
        'What would happen, with the names and fields of a request’s timeline. After `team_policy_…` the path stays at its level. ' +
        'Only the preview has `branch_taken`: the branch that an `if_else` takes, and why.',
    }),
    path_key: z
      .string()
      .optional()
      .meta({ description: 'Key of the path; absent for a document without one.' }),
    node_id: z.string().meta({ description: 'Node of the path at which it happens.' }),
    run: z.int().meta({ description: 'Run of the path, from 1.' }),
    team_id: uuid(
      "The team, for steps of a team's escalation policy inside the level `node_id`.",
    ).optional(),
    team_name: z.string().optional().meta({ description: 'Name of that team.' }),
    team_node_id: z.string().optional().meta({ description: "Node of the team's policy." }),
    team_run: z.int().optional().meta({ description: 'Run of the policy, from 1.' }),
    targets: z
      .array(targetSchema)
      .meta({ description: 'The targets of a notified level. Empty for other steps.' }),
    members: z
      .array(
        z.strictObject({
          membership_id: uuid('The member.'),
          display_name: z.string().meta({ description: 'Name of the member.' }),
          steps: z.array(notificationStepSchema).optional().meta({
            description: 'When which of their channels get the message. Absent: all at once.',
          }),
        }),
      )
      .optional()
      .meta({
        description: 'The people a level notifies, as they are now. Only `level_notified`.',
      }),
    until: timestamp('End of the wait at a level, or of a deferral.').optional(),
    working_hours_id: z
      .string()
      .optional()
      .meta({ description: 'The working hours a deferral waits for.' }),
    branch: z.enum(['then', 'else']).optional().meta({ description: 'The branch taken.' }),
    reason: z
      .enum([
        'nobody_to_ask',
        'nobody_left',
        'conditions_met',
        'condition_not_met',
        'condition_failed',
      ])
      .optional()
      .meta({ description: 'Why a level is skipped, or why an `if_else` takes its branch.' }),
    condition_index: z
      .int()
      .optional()
      .meta({ description: 'Position of the first condition that is not met, from 0.' }),
    condition_type: z
      .enum(['working_hours', 'urgency', 'request'])
      .optional()
      .meta({ description: 'Type of that condition.' }),
    code: z
      .enum(['condition_too_costly', 'condition_failed', 'condition_invalid'])
      .optional()
      .meta({ description: 'Why a condition cannot be evaluated. It then counts as not met.' }),
    ends_after_deadline: z.literal(true).optional().meta({
      description:
        'A deferral that does not end before the request expires: no one else is asked in time. Only with `timeout`.',
    }),
    after_deadline: z.literal(true).optional().meta({
      description: 'The request has expired by then, so this does not happen. Only with `timeout`.',
    }),
    local_times: z
      .array(
        z.strictObject({
          timezone: z.string().meta({ description: 'IANA name.' }),
          at: z.string().meta({ description: '`at` as local time with the offset from UTC.' }),
        }),
      )
      .meta({
        description:
          'In each time zone that has working hours in the path, or in the policy of the step. Members have no time zones.',
      }),
  })
  .meta({ id: 'PreviewedStep', description: 'Something that would happen.' });

function presentStep(
  { step, teamName, targets, members, afterDeadline, localTimes }: PreviewedStep,
  { pathKey, expiresAt }: Pick<PathPreview, 'pathKey' | 'expiresAt'>,
) {
  return {
    at: step.at,
    kind: walkEventName(step),
    path_key: pathKey,
    ...walkEventData(step, expiresAt),
    ...(afterDeadline && { after_deadline: true as const }),
    team_name: teamName,
    targets: [...targets],
    ...(step.kind === 'level_notified' && {
      members: members.map(({ membershipId, displayName, steps }) => ({
        membership_id: membershipId,
        display_name: displayName,
        ...(steps && { steps: [...steps] }),
      })),
      until: step.escalateAt,
    }),
    local_times: [...localTimes],
  };
}

function requestOf({
  document,
  team_id: teamId,
  path_key: pathKey,
  revision,
  starts_at: startsAt,
  urgency,
  timeout,
  request,
  agent,
}: Body): PreviewRequest {
  const both = document !== undefined && revision !== undefined;
  if (both || (document === undefined) === (pathKey === undefined)) {
    throw invalid([
      {
        pointer: '/document',
        code: 'invalid_value',
        message: 'must be given, or a path_key with an optional revision, but not both',
      },
    ]);
  }
  if (teamId !== undefined && document === undefined) {
    const message = 'is required with team_id';
    throw invalid([{ pointer: '/document', code: 'required', message }]);
  }
  if ((request === undefined) !== (agent === undefined)) {
    const pointer = request === undefined ? '/request' : '/agent';
    throw invalid([
      { pointer, code: 'required', message: 'is required: request and agent belong together' },
    ]);
  }
  return {
    path:
      pathKey === undefined
        ? { document: document ?? null, ...(teamId !== undefined && { teamId }) }
        : { pathKey, ...(revision !== undefined && { revision }) },
    ...(startsAt && { startsAt }),
    urgency,
    ...(timeout !== undefined && { timeoutMs: parseDuration(timeout) ?? 0 }),
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
    'When each level would fire if no one decided, from any instant, in the steps of a timeline. It uses the current people and their ' +
    'permissions. A level without anyone who may decide is skipped, and teams with an active escalation policy follow it. Nothing is saved, ' +
    'and no one is notified. The preview continues after the deadline of a request. With `timeout`, it marks steps that come too late. Steps of a policy at the very end of its level do not run. ' +
    '`path_repeated` names the first node of the path, `path_exhausted` the last node of the walk.',
  auth: 'product',
  bodyLimit: BODY_BYTES.large,
  permission: 'escalation_path.read',
  body: bodySchema,
  documents: ['/document', '/request/arguments', '/request/context'],
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
        starts_at: timestamp('When the schedule starts.'),
        expires_at: timestamp('When the request expires: `timeout` after the start.').optional(),
        steps: z
          .array(stepSchema)
          .meta({ description: 'What would happen, in order; at most 500 steps.' }),
        truncated: z.boolean().meta({ description: 'Whether more steps would follow.' }),
        warnings: warningsSchema().meta({
          description: 'Advice on the path and the people it asks.',
        }),
      })
      .meta({ id: 'EscalationPathPreview', description: 'The schedule of a path.' }),
    example: {
      starts_at: '2026-03-06T16:30:00.000Z',
      steps: [
        {
          at: '2026-03-06T16:30:00.000Z',
          kind: 'level_notified',
          path_key: 'on-call',
          node_id: '0198f3a2-8e20-7b55-a4f5-708192a3b4c5',
          run: 1,
          targets: [
            { type: 'user', id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70', name: 'Ada Lovelace' },
          ],
          members: [
            { membership_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70', display_name: 'Ada Lovelace' },
          ],
          until: '2026-03-06T16:45:00.000Z',
          local_times: [{ timezone: 'Europe/Berlin', at: '2026-03-06T17:30:00.000+01:00' }],
        },
      ],
      truncated: true,
      warnings: [],
    },
  },
  errors: ['not_found', ...DOCUMENT_ERRORS],
  handler: async ({ principal, body }, context) => {
    const preview = await previewEscalationPath(context, principal, requestOf(body));
    const { startsAt, expiresAt, steps, truncated, warnings } = preview;
    return {
      body: {
        starts_at: startsAt,
        expires_at: expiresAt,
        steps: steps.map((step) => presentStep(step, preview)),
        truncated,
        warnings: warnings.map(presentWarning),
      },
    };
  },
});

export const escalationPathPreviewEndpoints: readonly Endpoint[] = [previewEndpoint];
