/** The reviewer's two detail views: who is asked about a request, and its timeline. */
import type { AddedReviewer } from '../../src/domain/requests/added-reviewers.ts';
import { z } from 'zod';
import { CHANNEL_KINDS } from '../../src/domain/channels.ts';
import type { DeliveryFailure } from '../../src/domain/channels.ts';
import { failureText } from '../../src/domain/notifications/failures.ts';
import { ROUTING_STATES } from '../../src/domain/escalation/routing-view.ts';
import type { TimelineEvent } from '../../src/domain/requests/timeline.ts';
import type { RoutedLevel } from '../../src/domain/requests/routed-people.ts';
import {
  getRouting,
  getTimeline,
  type RequestRouting,
} from '../../src/services/requests/routing-view.ts';
import { present } from '../http/present.ts';
import { auditEventSchema, presentAuditEvent } from '../audit/audit-event-schema.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { timestamp, uuid } from '../http/schema.ts';

const failureShape = {
  channel: z
    .enum(CHANNEL_KINDS)
    .meta({ description: 'The kind of the channel whose message failed for good.' }),
  cause: z.string().meta({
    description:
      'Why, such as `mailbox_refused`, an error code of Slack, `status_403` of a push service, or why the message was dropped.',
  }),
  problem: z.string().meta({
    description: 'The same in words: `email: the mail server refused the mailbox`.',
  }),
};

const failureSchema = z
  .strictObject(failureShape)
  .meta({ id: 'DeliveryFailure', description: 'A message that failed for good.' });

const memberSchema = z
  .strictObject({
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: "The member's name." }),
    notified_at: timestamp(
      'When this level notified the member; absent when it did not, has not yet, or no message reached them.',
    ).optional(),
    unreached: z.array(failureSchema).optional().meta({
      description:
        'Why no message of this level reached the member; absent while one has arrived or may still arrive. They may still decide.',
    }),
    can_decide: z
      .boolean()
      .meta({ description: 'Whether the member could decide this request as of now.' }),
  })
  .meta({ id: 'RoutedMember', description: 'A person at a level.' });

export const addedSchema = z
  .strictObject({
    membership_id: uuid('The member who was added.'),
    display_name: z.string().meta({ description: "The member's name." }),
    added_by: uuid('The membership that added the reviewer.'),
    added_at: timestamp('When the reviewer was added.'),
  })
  .meta({ id: 'AddedReviewer', description: 'A reviewer in addition to those the path names.' });

const levelSchema = z
  .strictObject({
    node_id: uuid('The node of the path.'),
    run: z.int().meta({ description: 'Which run through the path, from 1.' }),
    status: z.enum(['done', 'current', 'upcoming', 'skipped', 'unreached']).meta({
      description:
        '`done`: its people were notified, and the walk went on, early if none of them could still decide. `skipped`: no one could be ' +
        'notified. `unreached`: no message reached anyone there, so the walk went on at once. `upcoming`: the current run has not reached it.',
    }),
    notified_at: timestamp('When its people were notified.').optional(),
    escalate_at: timestamp(
      'When the walk continues, or continued, without a decision. It continues at once when none of the notified people can still decide.',
    ).optional(),
    planned_at: timestamp(
      'When an `upcoming` level is reached if no one decides before, everyone can be asked and conditions stay the same. It may be after the deadline. Absent while `paused`.',
    ).optional(),
    targets: z
      .array(
        z.strictObject({
          type: z.enum(['user', 'team', 'broadcast']).meta({
            description:
              '`broadcast`: everyone who may decide for the agent when the level is reached.',
          }),
          id: uuid('The membership or team; absent for a broadcast.').optional(),
          name: z
            .string()
            .optional()
            .meta({ description: "The member's or team's name; absent for a broadcast." }),
          members: z.array(memberSchema).meta({
            description:
              'The people who were notified. For an upcoming broadcast: those it would notify now. For a team: its present members, then those it notified who have left.',
          }),
        }),
      )
      .meta({ description: 'The people and teams the level names.' }),
  })
  .meta({ id: 'RoutingLevel', description: 'One level of one run.' });

const routingSchema = z
  .strictObject({
    state: z.enum(ROUTING_STATES).meta({
      description:
        '`evaluating`: the pipeline has not concluded. `waiting`: a level waits for a decision, or the pause before a further run is not over. ' +
        '`deferred`: it waits for working hours. `paused`: a reviewer claims the request, so no one else is notified meanwhile. `exhausted`: no one else is asked, but everyone notified may still decide. ' +
        '`unrouted`: no path applies, and everyone who may decide was notified. `finished`: it has its decision.',
    }),
    path_key: z
      .string()
      .optional()
      .meta({ description: 'The escalation path; absent when none applies.' }),
    path_name: z.string().optional().meta({ description: 'Its name in the pinned revision.' }),
    revision: z.int().optional().meta({ description: 'The revision the request stays with.' }),
    source: z
      .enum(['block_escalation', 'pipeline_default', 'no_escalation', 'pipeline'])
      .optional()
      .meta({
        description: 'What named the path. `pipeline`: a rule decided and no one was asked.',
      }),
    block_id: z
      .string()
      .optional()
      .meta({ description: 'The block that handed it to people, or decided it.' }),
    reason: z.string().optional().meta({ description: "That block's reason." }),
    urgency: z.enum(['standard', 'interrupt']).meta({
      description:
        'How urgent the request is. `interrupt` adds “Urgent” to the titles of messages, and decides which nodes of the path are passed.',
    }),
    run: z.int().optional().meta({ description: 'The current run through the path, from 1.' }),
    runs: z.int().optional().meta({ description: 'How many runs the path makes at most.' }),
    next_at: timestamp(
      'When the next step is due, as in `next_step`. Absent while `paused`. The `escalate_at` of the current level says when its wait ends.',
    ).optional(),
    next_step: z
      .strictObject({
        kind: z.enum(['level', 'team', 'repeat', 'exhausted']).meta({
          description:
            "`level`: the next level. `team`: a further step of a team's policy inside the current level. `repeat`: a further run. `exhausted`: no one else is asked.",
        }),
        node_id: uuid('The level.').optional(),
        at: timestamp(
          'When the step is due. Working hours, or the pause before a further run, may come before it. Absent while `paused`.',
        ).optional(),
      })
      .optional()
      .meta({
        description:
          'The next step that people would notice. It assumes that no one decides before, that everyone to be asked can be asked, and that conditions stay the same.',
      }),
    levels: z
      .array(levelSchema)
      .meta({ description: 'In the order of the walk, earlier runs first.' }),
    added: z.array(addedSchema).meta({
      description: 'People a reviewer asked for help, in the order in which they were added.',
    }),
  })
  .meta({
    id: 'RequestRouting',
    description: 'Who is asked about a request, who was asked, and who comes next.',
  });

const timelineEventSchema = auditEventSchema
  .extend({
    unreached: z
      .array(z.strictObject({ membership_id: uuid('The member.'), ...failureShape }))
      .optional()
      .meta({
        description:
          'Of the people this event notified, those that no message reached, and why. It may appear later than the event.',
      }),
  })
  .meta({
    id: 'TimelineEvent',
    description: 'An audit event of a request, and who was not reached by it.',
  });

const organizationId = '01970c00-0000-7c3e-9d52-5f6f4f3f2a11';
const requestId = '01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11';
const membershipId = '01970c01-0000-7c3e-9d52-5f6f4f3f2a11';
const firstLevel = '5b6a1c1e-0a53-4f6e-9a52-0d5b6b1c9f01';
const secondLevel = '5b6a1c1e-0a53-4f6e-9a52-0d5b6b1c9f02';
const ada = { membership_id: membershipId, display_name: 'Ada Lovelace' };

const routingExample = {
  state: 'waiting',
  path_key: 'on-call',
  path_name: 'On call',
  revision: 3,
  source: 'block_escalation',
  block_id: 'large-refunds',
  reason: 'Refunds over 100 need a person.',
  urgency: 'standard',
  run: 1,
  runs: 2,
  next_at: '2026-11-21T13:10:00.030Z',
  next_step: { kind: 'level', node_id: secondLevel, at: '2026-11-21T13:10:00.030Z' },
  levels: [
    {
      node_id: firstLevel,
      run: 1,
      status: 'current',
      notified_at: '2026-11-21T13:00:00.030Z',
      escalate_at: '2026-11-21T13:10:00.030Z',
      targets: [
        {
          type: 'user',
          id: membershipId,
          name: 'Ada Lovelace',
          members: [{ ...ada, notified_at: '2026-11-21T13:00:00.030Z', can_decide: true }],
        },
      ],
    },
    {
      node_id: secondLevel,
      run: 1,
      status: 'upcoming',
      planned_at: '2026-11-21T13:10:00.030Z',
      targets: [{ type: 'broadcast', members: [{ ...ada, can_decide: true }] }],
    },
  ],
  added: [],
};

const timelineExample = {
  events: [
    {
      sequence: 4711,
      id: '01970c4e-8f0b-7c3e-9d52-5f6f4f3f2a11',
      organization_id: organizationId,
      event_type: 'approval_request.level_notified',
      actor_type: 'system',
      subject_type: 'approval_request',
      subject_id: requestId,
      data: { path_key: 'on-call', node_id: firstLevel, run: 1, ...ada },
      occurred_at: '2026-11-21T13:00:00.030Z',
    },
  ],
};

function presentLevel(level: RoutedLevel) {
  return present(levelSchema, {
    ...level,
    targets: level.targets.map((target) => ({
      ...target,
      members: target.members.map(({ unreached, ...member }) =>
        present(memberSchema, { ...member, unreached: unreached?.map(withProblem) }),
      ),
    })),
  });
}

function presentRouting(routing: RequestRouting) {
  const next = routing.nextStep;
  return {
    state: routing.state,
    path_key: routing.pathKey,
    path_name: routing.pathName,
    revision: routing.revision,
    source: routing.source,
    block_id: routing.blockId,
    reason: routing.reason,
    urgency: routing.urgency,
    run: routing.run,
    runs: routing.runs,
    next_at: next?.at,
    next_step: next && {
      kind: next.kind,
      ...('nodeId' in next && { node_id: next.nodeId }),
      at: next.at,
    },
    levels: routing.levels.map(presentLevel),
    added: routing.added.map(presentAdded),
  };
}

export const presentAdded = (added: AddedReviewer) => present(addedSchema, added);

const withProblem = (failure: DeliveryFailure) => ({
  ...failure,
  problem: failureText(failure),
});

const presentEvent = ({ unreached, ...event }: TimelineEvent) => ({
  ...presentAuditEvent(event),
  unreached: unreached?.map(({ membershipId, ...failure }) => ({
    membership_id: membershipId,
    ...withProblem(failure),
  })),
});

const params = z.strictObject({ id: uuid('The request.') });
const TAG = 'Review queue';

export const approvalRequestRoutingEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getRequestRouting',
    method: 'get',
    path: '/api/v1/requests/{id}/routing',
    tag: TAG,
    summary: 'See who is asked about a request, who was, and who comes next',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params,
    success: {
      status: 200,
      description: 'The routing now.',
      body: routingSchema,
      example: routingExample,
    },
    errors: ['request_not_routed'],
    handler: async ({ principal, params: { id } }, context) => ({
      body: presentRouting(await getRouting(context, principal, id)),
    }),
  }),
  defineEndpoint({
    operationId: 'getRequestTimeline',
    method: 'get',
    path: '/api/v1/requests/{id}/timeline',
    tag: TAG,
    summary: 'List everything that happened to a request, oldest first',
    description:
      '`approval_request.level_skipped` is a level that waits for no one: `reason` is `nobody_to_ask` when no one could be ' +
      'notified. It is `nobody_left` when all it had notified were suspended or removed since, left the team the path names, or lost the ' +
      'right to decide. `approval_request.level_unreached` is a level that the walk left at once because no message reached anyone there: ' +
      '`reasons` has the member, channel and cause of each failure. `approval_request.block_attempt_begun` is an attempt to ask another system, `approval_request.block_asked` its end, and `approval_request.judged` what a ' +
      'language model returned. `approval_request.condition_failed` is a condition of an `if_else` that could not be evaluated: `code` is ' +
      '`condition_too_costly` when it was over its work budget. The walk then takes `else`. `approval_request.claim_released` carries a ' +
      '`reason` when someone else than its holder ended the claim: ' +
      '`holder_cannot_decide`, `membership_suspended` or `membership_removed`.',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params,
    success: {
      status: 200,
      description: 'The audit events of the request.',
      body: z.strictObject({
        events: z.array(timelineEventSchema).meta({ description: 'Oldest first.' }),
      }),
      example: timelineExample,
    },
    errors: ['request_not_routed'],
    handler: async ({ principal, params: { id } }, context) => {
      const events = await getTimeline(context, principal, id);
      return { body: { events: await events.map(presentEvent) } };
    },
  }),
];
