/** The review queue: list, read or wait, decide. */
import { z } from 'zod';
import {
  DECISION_STATUSES,
  publicStatus,
  REQUEST_STATUSES,
  type Decision,
} from '../../src/domain/requests/approval-requests.ts';
import { decideRequest } from '../../src/services/requests/decide.ts';
import {
  awaitRequest,
  getRequest,
  listRequests,
  type ShownRequest,
} from '../../src/services/requests/queue.ts';
import { presentationSchema } from '../agents/tool-presentations.ts';
import { claimSchema, presentClaim } from './approval-request-claims.ts';
import { present } from '../http/present.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  authContextSchema,
  exactObject,
  exactString,
  integerQuery,
  limitQuery,
  slug,
  timestamp,
  uuid,
  waitQuery,
} from '../http/schema.ts';

const CHANNEL = /^[a-z][a-z0-9_-]{0,31}$/;
const RESERVED_CHANNELS = ['pipeline', 'system', 'aap'];

const decisionSchema = z
  .strictObject({
    id: uuid('Identifies the decision.'),
    request_id: uuid('The request it answers.'),
    organization_id: uuid('The organization.'),
    membership_id: uuid('Who decided; absent when no person did.').optional(),
    status: z.enum(DECISION_STATUSES).meta({ description: 'The final answer.' }),
    note: z
      .string()
      .optional()
      .meta({ description: "The reviewer's note, or the deciding block's reason." }),
    channel: z.string().meta({
      description:
        'As reported by the client; `pipeline`, `system` or `aap` when no person decided.',
    }),
    reviewer_display_name: z
      .string()
      .optional()
      .meta({ description: "The reviewer's name at the time of the decision." }),
    reviewer_email: z
      .string()
      .optional()
      .meta({ description: 'Email of the reviewer; only when a person decided.' }),
    authentication: authContextSchema,
    idempotency_key: z.string().meta({ description: 'The key the decision was made with.' }),
    decided_at: timestamp('When it became final.'),
  })
  .meta({ id: 'Decision', description: 'The one final answer to a request.' });

const requestSchema = z
  .strictObject({
    id: uuid('Identifies the request.'),
    organization_id: uuid('The organization.'),
    agent_slug: slug('The agent that asks.'),
    agent_instance_id: uuid('The instance that asks.'),
    agent_name: z.string().meta({ description: "The agent's name when the request was made." }),
    agent_instance_name: z
      .string()
      .meta({ description: "The instance's name when the request was made." }),
    tool: z.string().meta({ description: 'Name under which the tool is defined.' }),
    server: z
      .string()
      .optional()
      .meta({ description: 'Alias of the MCP server; absent for built-in tools.' }),
    arguments: exactObject('The exact arguments the tool will run with if approved.'),
    agent_reasoning: exactString("The agent's own claim.").optional(),
    context: exactObject('Where the call comes from, as observed by the adapter.').optional(),
    status: z
      .enum(REQUEST_STATUSES)
      .meta({ description: '`cancelled`: the instance withdrew it; treat it as a denial.' }),
    deadline_at: timestamp('When it expires.'),
    created_at: timestamp('When it was recorded.'),
    updated_at: timestamp(
      'Changes with everything a reviewer should notice: notified levels, raised urgency, claims, added reviewers.',
    ),
    decision: decisionSchema.optional(),
    claim: claimSchema.optional(),
    presentation: presentationSchema.optional(),
  })
  .meta({ id: 'ApprovalRequest', description: 'An approval request as reviewers see it.' });

const decisionExample = {
  id: '01970c4f-1111-7c3e-9d52-5f6f4f3f2a11',
  request_id: '01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11',
  organization_id: '01970c00-0000-7c3e-9d52-5f6f4f3f2a11',
  membership_id: '01970c01-0000-7c3e-9d52-5f6f4f3f2a11',
  status: 'approved',
  note: 'Checked with the customer.',
  channel: 'web',
  reviewer_display_name: 'Ada Lovelace',
  reviewer_email: 'ada@example.com',
  authentication: {
    method: 'local_password',
    assurance: 'single_factor',
    authenticated_at: '2026-11-21T12:50:00.000Z',
    session_id: '01970c02-0000-7c3e-9d52-5f6f4f3f2a11',
  },
  idempotency_key: '6f1c7f2e-6f5e-4f5a-8d0c-0d5b6b1c9f00',
  decided_at: '2026-11-21T13:02:00.000Z',
};
const requestExample = {
  id: '01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11',
  organization_id: '01970c00-0000-7c3e-9d52-5f6f4f3f2a11',
  agent_slug: 'support-bot',
  agent_instance_id: '01970c03-0000-7c3e-9d52-5f6f4f3f2a11',
  agent_name: 'Support bot',
  agent_instance_name: 'worker-1',
  tool: 'refund_payment',
  server: 'billing',
  arguments: { payment_id: 'pay_81', amount: 120.5 },
  status: 'pending',
  deadline_at: '2026-11-21T13:30:00.000Z',
  created_at: '2026-11-21T13:00:00.000Z',
  updated_at: '2026-11-21T13:00:00.030Z',
};

const presentDecision = (decision: Decision) => present(decisionSchema, decision);

function presentRequest({ request, presentation }: ShownRequest) {
  return present(requestSchema, {
    ...request,
    presentation,
    status: publicStatus(request.state),
    decision: request.decision && presentDecision(request.decision),
    claim: presentClaim(request.claim),
  });
}

const params = z.strictObject({ id: uuid('The request.') });
const TAG = 'Review queue';

export const approvalRequestEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listRequests',
    method: 'get',
    path: '/api/v1/requests',
    tag: TAG,
    summary: 'List requests that reached people, newest first',
    description:
      'With `agent_slug`, the list also contains requests that the pipeline decided by itself.',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    query: z.strictObject({
      limit: limitQuery(50, 200),
      offset: integerQuery('How many entries to skip.', {
        min: 0,
        max: 1_000_000,
        default: 0,
      }),
      agent_slug: slug('Only requests of this agent.').optional(),
      q: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'Case-insensitive substring of tool or instance name.' }),
      status: z
        .enum(REQUEST_STATUSES)
        .optional()
        .meta({ description: 'Only requests with this status.' }),
      scope: z
        .enum(['notified', 'decidable', 'visible'])
        .default('visible')
        .meta({ description: 'Each contains the one before. Ignored for API keys.' }),
    }),
    success: {
      status: 200,
      description: 'One page of the queue.',
      body: z.strictObject({
        requests: z.array(requestSchema).meta({ description: 'Newest first.' }),
      }),
      example: { requests: [requestExample] },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const { agent_slug: agentSlug, ...filter } = query;
      const requests = await listRequests(context, principal, { ...filter, agentSlug });
      return { body: { requests: await requests.map(presentRequest) } };
    },
  }),
  defineEndpoint({
    operationId: 'getRequest',
    method: 'get',
    path: '/api/v1/requests/{id}',
    tag: TAG,
    summary: 'Read one request, or wait for its answer',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params,
    query: z.strictObject({ wait: waitQuery() }),
    success: {
      status: 200,
      description: 'The request in its current state.',
      body: requestSchema,
      example: requestExample,
    },
    errors: ['request_not_routed'],
    handler: async (
      { principal, params: { id }, query: { wait }, signal, authenticateAgain },
      context,
    ) => {
      const request =
        wait === undefined
          ? await getRequest(context, principal, id)
          : await awaitRequest(context, principal, { id, ms: wait, signal, authenticateAgain });
      return { body: presentRequest(request) };
    },
  }),
  defineEndpoint({
    operationId: 'decideRequest',
    method: 'post',
    path: '/api/v1/requests/{id}/decision',
    tag: TAG,
    summary: 'Approve or deny a request',
    description:
      'The decision is final. Requires `request.decide` for the agent. The caller must also be on the escalation path at any level, in a ' +
      'team it names, or added by hand. `request.decide.unrouted` and ownership lift this second condition, and it does not apply to ' +
      'requests without a path. The same Idempotency-Key and input answers the original outcome.',
    auth: 'member',
    permission: 'request.decide',
    permissionAt: () => ({ kind: 'any' }),
    headers: { idempotencyKey: 'required' },
    params,
    body: z.strictObject({
      status: z.enum(['approved', 'denied']).meta({ description: 'The answer.' }),
      note: z
        .string()
        .max(4_000)
        .optional()
        .meta({ description: 'A note for the agent and for the record.' }),
      channel: z
        .string()
        .regex(CHANNEL, {
          error:
            'must be up to 32 lowercase letters, digits, underscores and hyphens, the first a letter',
        })
        .refine((channel) => !RESERVED_CHANNELS.includes(channel), {
          error: `must not be one of ${RESERVED_CHANNELS.join(', ')}, which the service uses itself`,
        })
        .optional()
        .meta({
          description:
            'Where the person decided; `web` for a session and `api` for a key when absent.',
        }),
    }),
    requestExample: { status: 'approved', note: 'Checked with the customer.' },
    success: {
      status: 200,
      description: 'The decision and the request it ended.',
      body: z.strictObject({ decision: decisionSchema, request: requestSchema }),
      example: {
        decision: decisionExample,
        request: {
          ...requestExample,
          status: 'approved',
          updated_at: decisionExample.decided_at,
          decision: decisionExample,
        },
      },
    },
    errors: [
      'mfa_required',
      'request_not_routed',
      'request_evaluating',
      'already_terminal',
      'idempotency_conflict',
    ],
    handler: async ({ principal, params: { id }, body, idempotencyKey }, context) => {
      const { decision, ...shown } = await decideRequest(context, principal, {
        ...body,
        requestId: id,
        idempotencyKey,
      });
      return {
        body: { decision: presentDecision(decision), request: presentRequest(shown) },
      };
    },
  }),
];
