/** The adapter protocol: create, wait, cancel. It allows no further keys and no null. */
import { z } from 'zod';
import {
  DECISION_STATUSES,
  publicStatus,
  REQUEST_STATUSES,
  type ApprovalRequest,
} from '../../src/domain/requests/approval-requests.ts';
import { cancelRequest } from '../../src/services/requests/cancel.ts';
import { createRequest } from '../../src/services/requests/creation/create.ts';
import { awaitOwnRequest, getOwnRequest } from '../../src/services/requests/own.ts';
import { present } from '../http/present.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
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

const timeout = () =>
  duration('How long the adapter waits for a decision: one second to seven days.', {
    min: '1s',
    max: '168h',
  });

const decisionSchema = z
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

const requestSchema = z
  .strictObject({
    id: uuid('Identifies the request.'),
    tool: z.string().min(1).meta({ description: 'Name under which the tool is defined.' }),
    server: z
      .string()
      .optional()
      .meta({ description: 'Alias of the MCP server that defines the tool.' }),
    arguments: exactObject('The exact arguments, as sent.'),
    timeout: timeout(),
    agent_reasoning: exactString("The agent's own claim, as sent.").optional(),
    context: exactObject('Where the call comes from, as sent.').optional(),
    status: z.enum(REQUEST_STATUSES).meta({ description: '`pending` until it is decided.' }),
    created_at: timestamp('When the request was recorded.'),
    deadline_at: timestamp('created_at plus timeout.'),
    decision: decisionSchema.optional(),
  })
  .meta({ id: 'AapApprovalRequest', description: 'An approval request as its adapter sees it.' });

const example = {
  id: '01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11',
  tool: 'refund_payment',
  server: 'billing',
  arguments: { payment_id: 'pay_81', amount: 120.5 },
  timeout: '30m',
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

function presentRequest(request: ApprovalRequest) {
  return present(requestSchema, {
    ...request,
    status: publicStatus(request.state),
    decision: request.decision && present(decisionSchema, request.decision),
  });
}

const params = z.strictObject({ id: uuid('The request.') });

export const aapApprovalRequestEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'createApprovalRequest',
    method: 'post',
    path: '/api/aap/v1/requests',
    tag: 'Adapter protocol',
    summary: 'Ask whether a tool call may run',
    description:
      'Returns 201, with the decision if a rule decided at once, otherwise with `pending`. The same Idempotency-Key and input returns 200 with the current state.',
    auth: 'agent',
    bodyLimit: BODY_BYTES.large,
    permission: 'request.create',
    permissionAt: () => ({ kind: 'any' }),
    headers: { idempotencyKey: 'required' },
    body: z.strictObject({
      tool: toolName(
        'Name under which the tool is defined, not blank. Never joined with the name of its server. Capitals make a difference.',
      ),
      server: serverName('Alias of the MCP server that defines the tool.').optional(),
      arguments: exactObject(
        'The exact arguments the tool will run with if approved. Kept digit for digit.',
      ),
      agent_reasoning: exactString("The agent's own claim. Kept as sent.").optional(),
      context: exactObject(
        'Where the call comes from, as observed by the adapter. Kept as sent.',
      ).optional(),
      timeout: timeout(),
    }),
    exact: ['arguments', 'agent_reasoning', 'context'],
    requestExample: {
      tool: 'refund_payment',
      server: 'billing',
      arguments: { payment_id: 'pay_81', amount: 120.5 },
      timeout: '30m',
    },
    success: {
      status: [201, 200],
      description: 'The request; 200 when the key was used before.',
      body: requestSchema,
      example,
    },
    errors: ['idempotency_conflict', 'quota_exceeded'],
    handler: async ({ principal, body, idempotencyKey, signal }, context) => {
      const { request, created } = await createRequest(context, principal, {
        input: body,
        idempotencyKey,
        signal,
      });
      return { status: created ? 201 : 200, body: presentRequest(request) };
    },
  }),
  defineEndpoint({
    operationId: 'getApprovalRequest',
    method: 'get',
    path: '/api/aap/v1/requests/{id}',
    tag: 'Adapter protocol',
    summary: 'Read a request, or wait for its decision',
    auth: 'agent',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params,
    query: z.strictObject({ wait: waitQuery() }),
    success: {
      status: 200,
      description: 'The request in its current state.',
      body: requestSchema,
      example,
    },
    errors: [],
    handler: async (
      { principal, params: { id }, query: { wait }, signal, authenticateAgain },
      context,
    ) => {
      const request =
        wait === undefined
          ? await getOwnRequest(context, principal, id)
          : await awaitOwnRequest(context, principal, { id, ms: wait, signal, authenticateAgain });
      return { body: presentRequest(request) };
    },
  }),
  defineEndpoint({
    operationId: 'cancelApprovalRequest',
    method: 'delete',
    path: '/api/aap/v1/requests/{id}',
    tag: 'Adapter protocol',
    summary: 'Withdraw a request',
    description:
      'A repetition returns the same. An approved, denied or expired request cannot be withdrawn: 409.',
    auth: 'agent',
    permission: 'request.create',
    permissionAt: () => ({ kind: 'any' }),
    // An adapter that gives up must always be able to cancel.
    unlimited: true,
    params,
    success: {
      status: 200,
      description: 'The cancelled request.',
      body: requestSchema,
      example: {
        ...example,
        status: 'cancelled',
        decision: { status: 'cancelled', decided_at: '2026-11-21T13:02:00.000Z' },
      },
    },
    errors: ['already_terminal'],
    handler: async ({ principal, params: { id } }, context) => ({
      body: presentRequest(await cancelRequest(context, principal, id)),
    }),
  }),
];
