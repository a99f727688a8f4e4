/** The review queue: list, read or wait, decide. */
import { z } from 'zod';
import { authorize, type ProductPrincipal } from '../../src/domain/people/authorization.ts';
import { LONGEST_NOTE } from '../../src/domain/requests/approval-requests.ts';
import type { AppContext } from '../../src/services/context.ts';
import { decideRequest } from '../../src/services/requests/decide.ts';
import { awaitRequest, getRequest, listRequests } from '../../src/services/requests/queue.ts';
import { listSummaries } from '../../src/services/requests/queue/summaries.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { nextCursor, timestampInput, uuid, waitQuery } from '../http/schema.ts';
import {
  decisionExample,
  decisionSchema,
  detailExample,
  detailSchema,
  digest,
  presentDecision,
  listedExample,
  listedSchema,
  presentDetail,
  presentListed,
  presentRequest,
  requestExample,
  requestSchema,
} from './approval-request-schema.ts';
import { filterOf, listQuery, nextOf } from './request-list-query.ts';
import { presentSummary, summarySchema } from './request-summary-schema.ts';

/** For those who may see the state of the service. */
const workflowUrlFor = (
  principal: ProductPrincipal,
  { deployment: { workflowsUrl } }: AppContext,
  id: string,
): string | undefined =>
  workflowsUrl !== undefined &&
  principal.kind === 'member' &&
  authorize(principal, 'organization.settings.write', { kind: 'organization' }).allowed
    ? workflowsUrl + id
    : undefined;

const CHANNEL = /^[a-z][a-z0-9_-]{0,31}$/;
const RESERVED_CHANNELS = ['pipeline', 'system', 'aap'];

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
      'With `agent_slug`, the list also contains requests that the pipeline decided by itself. `view=summary` is for screens: entries without ' +
      'arguments, and with what a reviewer sees first. With `view=summary`, `sort` or `cursor`, the response has a `next_cursor` while more follow. ' +
      'A page by cursor repeats nothing when requests arrive meanwhile.',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    query: listQuery,
    success: {
      status: 200,
      description: 'One page of the queue.',
      body: z.strictObject({
        requests: z.array(z.union([listedSchema, summarySchema])).meta({
          description: 'Newest first, or as `sort` says. Summaries with `view=summary`.',
        }),
        next_cursor: nextCursor(),
      }),
      example: { requests: [listedExample] },
    },
    errors: [],
    handler: async ({ principal, query: { view, ...query } }, context) => {
      const filter = filterOf(query, view);
      if (view === 'summary') {
        const { summaries, next } = await listSummaries(context, principal, filter);
        return { body: { requests: summaries.map(presentSummary), ...nextOf(filter, next) } };
      }
      const { requests, next } = await listRequests(context, principal, filter);
      return { body: { requests: await requests.map(presentListed), ...nextOf(filter, next) } };
    },
  }),
  defineEndpoint({
    operationId: 'getRequest',
    method: 'get',
    path: '/api/v1/requests/{id}',
    tag: TAG,
    summary: 'Read one request, or wait for its decision',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params,
    query: z.strictObject({
      wait: waitQuery(),
      since: timestampInput(
        'The `updated_at` of the request as the caller knows it. With `wait`, the response then comes at any change since, not only with the decision.',
      ).optional(),
    }),
    success: {
      status: 200,
      description: 'The request in its current state.',
      body: detailSchema,
      example: detailExample,
    },
    errors: ['request_not_routed'],
    handler: async (
      { principal, params: { id }, query: { wait, since }, signal, authenticateAgain },
      context,
    ) => {
      const request =
        wait === undefined
          ? await getRequest(context, principal, id)
          : await awaitRequest(context, principal, {
              ...{ id, ms: wait, since },
              ...{ signal, authenticateAgain },
            });
      return { body: presentDetail(request, workflowUrlFor(principal, context, id)) };
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
      'requests without a path. Where the organization requires a second factor, the session or key needs one: 403 `mfa_required` otherwise. ' +
      'The same Idempotency-Key and input returns the original outcome.',
    auth: 'member',
    permission: 'request.decide',
    permissionAt: () => ({ kind: 'any' }),
    headers: { idempotencyKey: 'required' },
    params,
    body: z.strictObject({
      status: z.enum(['approved', 'denied']).meta({ description: 'The decision.' }),
      note: z
        .string()
        .max(LONGEST_NOTE)
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
            'Where the person decided; `web` for a session and `api` for a key when absent. `web`, `slack`, `email` and `push` are channels of the service: ' +
            'a session may name only `web` of these, and a key none.',
        }),
      seen: z
        .strictObject({
          arguments_digest: digest('Of the very arguments that the person saw.'),
        })
        .optional()
        .meta({
          description:
            'What the person saw. If the request has other arguments, nothing is decided: 409 `request_changed`. The decision and the audit log keep it. ' +
            'It is no parameter of the Idempotency-Key.',
        }),
    }),
    requestExample: {
      status: 'approved',
      note: 'Checked with the customer.',
      seen: decisionExample.seen,
    },
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
      'request_changed',
      'request_evaluating',
      'already_terminal',
      'idempotency_conflict',
    ],
    handler: async ({ principal, params: { id }, body, idempotencyKey }, context) => {
      const { seen, ...response } = body;
      const { decision, ...shown } = await decideRequest(context, principal, {
        ...response,
        seenArgumentsDigest: seen?.arguments_digest,
        requestId: id,
        idempotencyKey,
      });
      return {
        body: { decision: presentDecision(decision), request: presentRequest(shown) },
      };
    },
  }),
];
