/** The request object of the adapter protocol, and what differs between its mounts. */
import { z } from 'zod';
import {
  DECISION_STATUSES,
  REQUEST_STATUSES,
} from '../../src/domain/requests/approval-requests.ts';
import type { CreateInput } from '../../src/services/requests/creation/create.ts';
import {
  duration,
  exactObject,
  exactString,
  serverName,
  timestamp,
  toolName,
  uuid,
  waitQuery,
} from '../http/schema.ts';
import type { MountName } from './mounts.ts';

export const decisionSchema = z
  .strictObject({
    status: z.enum(DECISION_STATUSES).meta({ description: 'The outcome.' }),
    note: z
      .string()
      .optional()
      .meta({ description: "The reviewer's note, or the deciding block's reason." }),
    decided_at: timestamp('When it was decided.'),
    expires_at: timestamp('On approvals only: the call must start before this instant.').optional(),
  })
  .meta({ id: 'AapDecision', description: 'The decision; never changes.' });

export const toolShape = {
  id: uuid('Identifies the request.'),
  tool: z.string().min(1).meta({ description: 'Name under which the tool is defined.' }),
};

const callShape = {
  arguments: exactObject('The exact arguments, as sent.'),
  timeout: duration('As sent.', { min: '1s' }),
  agent_reasoning: exactString("The agent's own claim, as sent.").optional(),
  context: exactObject('Where the call comes from, as sent.').optional(),
  status: z.enum(REQUEST_STATUSES).meta({ description: '`pending` until it is decided.' }),
  created_at: timestamp('When the request was recorded.'),
  deadline_at: timestamp('created_at plus timeout, at most 168 hours.'),
  decision: decisionSchema.optional(),
};

const requestShape = { ...toolShape, ...callShape };

const inputShape = {
  tool: toolName(
    'Name under which the tool is defined, not blank. Never joined with the name of its server. Capitals make a difference.',
  ),
  arguments: exactObject(
    'The exact arguments the tool will run with if approved. Kept digit for digit.',
  ),
  agent_reasoning: exactString("The agent's own claim. Kept as sent.").optional(),
  context: exactObject(
    'Where the call comes from, as observed by the adapter. Kept as sent.',
  ).optional(),
};

const ask = {
  tool: 'refund_payment',
  arguments: { payment_id: 'pay_81', amount: 120.5 },
  timeout: '30m',
};

const outcome = {
  status: 'approved',
  created_at: '2026-11-21T13:00:00.000Z',
  deadline_at: '2026-11-21T13:30:00.000Z',
  decision: {
    status: 'approved',
    note: 'Refunds up to 200 are fine.',
    decided_at: '2026-11-21T13:00:00.021Z',
    expires_at: '2026-11-21T13:05:00.021Z',
  },
};

export const REQUEST_ID = '01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11';

export interface Variant {
  readonly input: z.ZodType<CreateInput>;
  readonly inputExample: unknown;
  readonly request: z.ZodObject<typeof requestShape>;
  readonly example: Readonly<Record<string, unknown>>;
  /** Of a create. */
  readonly query: z.ZodType<{ readonly wait?: number | undefined }>;
}

/** What differs between the mounts: the member `server`, and what a long timeout means. */
export const variants: Readonly<Record<MountName, Variant>> = {
  ours: {
    input: z.strictObject({
      ...inputShape,
      server: serverName('Alias of the MCP server that defines the tool.').optional(),
      timeout: duration('How long the adapter waits for a decision: one second to seven days.', {
        min: '1s',
        max: '168h',
      }),
      resume: z
        .boolean()
        .optional()
        .meta({
          description:
            'True: where an equal call of the instance is open, or approved and not started, its request is returned instead of a new one, so that people are asked once. ' +
            'Equal means the same tool, server and text of the arguments, and the same `context.session`. With the setting `resume: agent`, calls of all instances and sessions of the agent count.',
        }),
    }),
    inputExample: { ...ask, server: 'billing' },
    request: z
      .strictObject({
        ...toolShape,
        server: z
          .string()
          .optional()
          .meta({ description: 'Alias of the MCP server that defines the tool.' }),
        ...callShape,
      })
      .meta({
        id: 'AapApprovalRequest',
        description: 'An approval request as its adapter sees it.',
      }),
    example: { id: REQUEST_ID, ...ask, server: 'billing', ...outcome },
    query: z.strictObject({ wait: waitQuery() }),
  },
  standard: {
    input: z.strictObject({
      ...inputShape,
      timeout: duration('How long the adapter waits for a decision. Above 168h counts as 168h.', {
        min: '1s',
      }),
    }),
    inputExample: ask,
    request: z.strictObject(requestShape).meta({
      id: 'AapStandardApprovalRequest',
      description: 'An approval request, as AAP 1.0.0 writes it.',
    }),
    example: { id: REQUEST_ID, ...ask, ...outcome },
    query: z.strictObject({}),
  },
};
