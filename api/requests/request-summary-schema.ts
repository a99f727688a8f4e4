/** A request in a list: the schema, its example, and how the domain's value becomes it. */
import { z } from 'zod';
import { ROUTING_STATES } from '../../src/domain/escalation/routing-view.ts';
import { publicStatus } from '../../src/domain/requests/approval-requests.ts';
import type { RequestSummary } from '../../src/services/requests/queue/summaries.ts';
import { present } from '../http/present.ts';
import { timestamp } from '../http/schema.ts';
import { presentClaim } from './approval-request-claims.ts';
import {
  abilityShape,
  listedExample,
  listedSchema,
  presentDecision,
  presentMarks,
  presentResult,
  urgencySchema,
} from './approval-request-schema.ts';

const summaryRoutingSchema = z
  .strictObject({
    state: z
      .enum(ROUTING_STATES)
      .meta({ description: 'As in the routing of the request. `paused`: someone claims it.' }),
    path_name: z
      .string()
      .optional()
      .meta({ description: 'The escalation path; absent when none applies.' }),
    next_at: timestamp(
      'The latest time at which the walk continues without a decision. Absent when nothing is planned.',
    ).optional(),
  })
  .meta({ description: 'Where the request is on its way to people.' });

export const summarySchema = listedSchema
  .omit({ arguments: true, agent_reasoning: true, context: true, presentation: true })
  .extend({
    arguments_bytes: z
      .int()
      .meta({ description: 'How long `arguments` is, in bytes of its source text.' }),
    title: z
      .string()
      .optional()
      .meta({
        description:
          'What a presentation calls the call, such as `Refund 120.5 EUR of pay_81`; absent where nothing is known about the tool. `excerpt` begins with it. ' +
          'The same is true of it.',
      }),
    excerpt: z.string().meta({
      description:
        'One line of the arguments with at most 200 characters: the title and primary fields of the presentation or, if these show nothing, the first arguments by name. ' +
        'Of longer arguments, only the first 8,000 and the last 1,000 characters are read. Sensitive values are hidden, and characters that hide, cover or reorder text are ' +
        'escaped. Use it to find a request. Read the arguments to decide.',
    }),
    urgency: urgencySchema,
    notified_at: timestamp(
      'When the caller was first notified; absent when they were not.',
    ).optional(),
    routing: summaryRoutingSchema,
    ...abilityShape,
  })
  .meta({
    id: 'ApprovalRequestSummary',
    description: 'An approval request in a list: without its arguments, context and reasoning.',
  });

const { arguments: example, ...facts } = listedExample;

export const summaryExample = {
  ...facts,
  arguments_bytes: JSON.stringify(example).length,
  excerpt: 'payment_id: pay_81 · amount: 120.5',
  urgency: 'standard',
  notified_at: '2026-11-21T13:00:00.030Z',
  routing: { state: 'waiting', path_name: 'On call', next_at: '2026-11-21T13:10:00.030Z' },
  can_decide: true,
  can_claim: true,
};

export function presentSummary({ facts, abilities, routing, marks, ...summary }: RequestSummary) {
  return present(summarySchema, {
    ...facts,
    ...summary,
    ...abilities,
    ...presentMarks(marks),
    status: publicStatus(facts.state),
    decision: facts.decision && presentDecision(facts.decision),
    claim: presentClaim(facts.claim),
    result: presentResult(facts.result),
    routing: present(summaryRoutingSchema, {
      ...routing,
      pathName: routing.pathName,
      nextAt: routing.nextAt,
    }),
  });
}
