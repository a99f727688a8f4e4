/** The adapter protocol: create, wait, list, start, cancel. It allows no further keys and no null. */
import { z } from 'zod';
import {
  PROTOCOL_WINDOW_MS,
  publicStatus,
  type ApprovalRequest,
  type Decision,
} from '../../src/domain/requests/approval-requests.ts';
import type { AgentPrincipal } from '../../src/domain/people/authorization.ts';
import { cancelRequest } from '../../src/services/requests/cancel.ts';
import { withdrawByKey } from '../../src/services/requests/withdraw.ts';
import { createRequest } from '../../src/services/requests/creation/create.ts';
import {
  awaitOwnRequest,
  createAndAwait,
  getOwnRequest,
  LISTED_AT_MOST,
  listOwnOpen,
} from '../../src/services/requests/own.ts';
import { reportResult, startRequest } from '../../src/services/requests/start.ts';
import { shownKey } from '../http/input.ts';
import { present } from '../http/present.ts';
import { callResultShape } from '../requests/approval-request-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { timestamp, uuid, waitQuery } from '../http/schema.ts';
import { decisionSchema, REQUEST_ID, toolShape, variants } from './approval-request-schema.ts';
import { onBothMounts, type Mount } from './mounts.ts';

const params = z.strictObject({ id: uuid('The request.') });

const withdrawnSchema = z
  .strictObject({
    idempotency_key: z.string().meta({ description: 'The key, as sent.' }),
    status: z.literal('cancelled').meta({ description: 'No request can be made under the key.' }),
  })
  .meta({ id: 'WithdrawnKey', description: 'A key that had no request, and gets none.' });

/** Bytes of a key, as the header has them. */
// eslint-disable-next-line no-control-regex -- these are what headers cannot carry
const NOT_IN_HEADERS = /[\0-\b\n-\x1f\x7f]/;
/** HTTP takes white space at the ends off a header. */
const AROUND_HEADERS = /^[ \t]+|[ \t]+$/g;

const keyQuery = () =>
  z
    .string()
    .refine((text) => !NOT_IN_HEADERS.test(text), { error: 'must not have control characters' })
    .transform((text) => Buffer.from(text.replaceAll(AROUND_HEADERS, '')).toString('latin1'))
    .refine((key) => key.length >= 1 && key.length <= 1_024, { error: 'must have 1 to 1024 bytes' })
    .meta({
      description: 'The `Idempotency-Key` of the create, in UTF-8.',
      override: { type: 'string', minLength: 1, maxLength: 1024 },
    });

const startedSchema = z
  .strictObject({
    id: toolShape.id,
    started_at: timestamp('When the start was recorded.'),
  })
  .meta({ id: 'StartedCall', description: 'The one start of an approved call.' });

const resultBody = z.strictObject(callResultShape);

type Presented = (request: ApprovalRequest) => { readonly body: unknown };

export const aapApprovalRequestEndpoints = onBothMounts((mount) => {
  const { request: requestSchema } = variants[mount.name];
  const presented: Presented = (request) => ({
    body: present(requestSchema, {
      ...request,
      status: publicStatus(request.state),
      decision:
        request.decision && present(decisionSchema, decisionOn(mount.name, request.decision)),
    }),
  });
  return [
    createEndpoint(mount, presented),
    readEndpoint(mount, presented),
    cancelEndpoint(mount, presented),
    ...(mount.name === 'ours'
      ? [
          listEndpoint(mount, presented),
          startEndpoint(mount),
          resultEndpoint(mount),
          withdrawEndpoint(mount, presented),
        ]
      : []),
  ];
});

/** AAP 1.0.0 knows one window only. On our mount, the agent's setting counts. */
const decisionOn = (mount: Mount['name'], decision: Decision): Decision =>
  mount === 'ours' || !decision.expiresAt
    ? decision
    : {
        ...decision,
        expiresAt: new Date(decision.decidedAt.getTime() + PROTOCOL_WINDOW_MS),
      };

/** AAP 1.0.0 knows no setting `resume`: a request is that of the instance which made it, and of no other. */
const callerOn = (mount: Mount['name'], principal: AgentPrincipal): AgentPrincipal =>
  mount === 'ours' ? principal : { ...principal, resume: 'instance' };

function createEndpoint(mount: Mount, presented: Presented): Endpoint {
  const { input, inputExample, request, example, query } = variants[mount.name];
  return defineEndpoint({
    operationId: mount.operationId('createApprovalRequest'),
    method: 'post',
    path: mount.path('/v1/requests'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Ask whether a tool call may run',
    description:
      'Returns 201, with the decision if a rule decided at once, otherwise with `pending`. The same Idempotency-Key and input returns 200 with the current state' +
      (mount.name === 'ours' ? '. So does `resume: true` if an equal call continues.' : '.'),
    auth: 'agent',
    bodyLimit: BODY_BYTES.large,
    permission: 'request.create',
    permissionAt: () => ({ kind: 'any' }),
    headers: { idempotencyKey: 'required' },
    query,
    body: input,
    exact: ['arguments', 'agent_reasoning', 'context'],
    requestExample: inputExample,
    success: {
      status: [201, 200],
      description: 'The request; 200 when it was there before.',
      body: request,
      example,
    },
    errors: ['idempotency_conflict', 'request_withdrawn', 'quota_exceeded'],
    handler: async (
      { principal, query: { wait: ms }, body, idempotencyKey, signal, authenticateAgain },
      context,
    ) => {
      const call = { input: body, idempotencyKey, signal };
      const { request, created } =
        ms === undefined
          ? await createRequest(context, principal, call)
          : await createAndAwait(context, principal, {
              ...call,
              waiting: { ms, signal, authenticateAgain },
            });
      return { status: created ? 201 : 200, ...presented(request) };
    },
  });
}

function readEndpoint(mount: Mount, presented: Presented): Endpoint {
  const { request, example } = variants[mount.name];
  return defineEndpoint({
    operationId: mount.operationId('getApprovalRequest'),
    method: 'get',
    path: mount.path('/v1/requests/{id}'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Read a request, or wait for its decision',
    auth: 'agent',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params,
    query: z.strictObject({ wait: waitQuery() }),
    success: {
      status: 200,
      description: 'The request in its current state.',
      body: request,
      example,
    },
    errors: [],
    handler: async (
      { principal, params: { id }, query: { wait }, signal, authenticateAgain },
      context,
    ) =>
      presented(
        wait === undefined
          ? await getOwnRequest(context, callerOn(mount.name, principal), id)
          : await awaitOwnRequest(context, callerOn(mount.name, principal), {
              ...{ id, ms: wait, signal },
              authenticateAgain: async () => callerOn(mount.name, await authenticateAgain()),
            }),
      ),
  });
}

function cancelEndpoint(mount: Mount, presented: Presented): Endpoint {
  const { request, example } = variants[mount.name];
  return defineEndpoint({
    operationId: mount.operationId('cancelApprovalRequest'),
    method: 'delete',
    path: mount.path('/v1/requests/{id}'),
    tag: mount.tag,
    dialect: mount.dialect,
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
      body: request,
      example: {
        ...example,
        status: 'cancelled',
        decision: { status: 'cancelled', decided_at: '2026-11-21T13:02:00.000Z' },
      },
    },
    errors: ['already_terminal'],
    handler: async ({ principal, params: { id } }, context) =>
      presented(await cancelRequest(context, callerOn(mount.name, principal), id)),
  });
}

/** An addition of ours, for an adapter that waits for many requests with one call. */
function listEndpoint(mount: Mount, presented: Presented): Endpoint {
  const { request, example } = variants[mount.name];
  const { decision: _, ...open } = example;
  return defineEndpoint({
    operationId: 'listOwnApprovalRequests',
    method: 'get',
    path: mount.path('/v1/requests'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: "List the caller's own open requests, or wait until one of them is decided",
    description:
      `The newest ${String(LISTED_AT_MOST)} pending requests that the calling instance made, newest first. With \`wait\`, the response comes once one of them is ` +
      'decided, and no longer lists that one: read it by its id. An empty list is returned at once.',
    auth: 'agent',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    query: z.strictObject({
      status: z
        .literal('pending')
        .default('pending')
        .meta({ description: 'Only `pending` can be listed.' }),
      wait: waitQuery(
        'Hold the response until one of the listed requests is decided, at most this long',
      ),
    }),
    success: {
      status: 200,
      description: 'The open requests of the instance.',
      body: z.strictObject({
        requests: z.array(request).meta({ description: 'Newest first.' }),
      }),
      example: { requests: [{ ...open, status: 'pending' }] },
    },
    errors: [],
    handler: async ({ principal, query: { wait: ms }, signal, authenticateAgain }, context) => {
      const waiting = ms === undefined ? undefined : { ms, signal, authenticateAgain };
      const requests = await listOwnOpen(context, principal, waiting);
      return { body: { requests: await requests.map((each) => presented(each).body) } };
    },
  });
}

/** An addition of ours: an approval that was used cannot be used again, not even after a crash. */
function startEndpoint(mount: Mount): Endpoint {
  return defineEndpoint({
    operationId: 'startApprovalRequest',
    method: 'post',
    path: mount.path('/v1/requests/{id}/start'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Start the approved call, once',
    description:
      'Report this before the call runs, and run it only after a 200. An approval starts once, and before its `expires_at`. After a lost response, ' +
      'repeat the call with the same Idempotency-Key: the instance gets the same 200 again. Any other 409 `already_started` means that the call may have run. ' +
      'Adapters that do not report their starts need nothing of this. Reviewers see when the call was started.',
    auth: 'agent',
    permission: 'request.create',
    permissionAt: () => ({ kind: 'any' }),
    params,
    headers: { idempotencyKey: 'optional' },
    success: {
      status: 200,
      description: 'The call may run now.',
      body: startedSchema,
      example: { id: REQUEST_ID, started_at: '2026-11-21T13:00:12.000Z' },
    },
    errors: ['not_approved', 'already_started', 'approval_expired'],
    handler: async ({ principal, params: { id }, idempotencyKey }, context) => {
      const key = idempotencyKey === '' ? undefined : idempotencyKey;
      return {
        body: present(startedSchema, await startRequest(context, principal, { id, key })),
      };
    },
  });
}

/** An addition of ours: reviewers see what came of the call that they approved. */
function resultEndpoint(mount: Mount): Endpoint {
  return defineEndpoint({
    operationId: 'reportApprovalRequestResult',
    method: 'post',
    path: mount.path('/v1/requests/{id}/result'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Report what came of the started call, once',
    description:
      'For the instance that started the call. A repeat of the same report changes nothing. `ran_differently` says that another call ran than the one that was approved: ' +
      'the person who approved it gets a message.',
    auth: 'agent',
    permission: 'request.create',
    permissionAt: () => ({ kind: 'any' }),
    params,
    body: resultBody,
    requestExample: { outcome: 'succeeded' },
    success: { status: 204, description: 'The result is on record.' },
    errors: ['not_started', 'result_reported'],
    handler: async ({ principal, params: { id }, body }, context) => {
      const { outcome, detail, arguments_digest: argumentsDigest } = body;
      const result = { outcome, detail, argumentsDigest };
      await reportResult(context, principal, { id, result });
      return {};
    },
  });
}

/** An addition of ours, for a create that was cut before its response told the id. */
function withdrawEndpoint(mount: Mount, presented: Presented): Endpoint {
  const { request, example } = variants[mount.name];
  return defineEndpoint({
    operationId: 'withdrawApprovalRequest',
    method: 'delete',
    path: mount.path('/v1/requests'),
    tag: mount.tag,
    dialect: mount.dialect,
    summary: 'Withdraw a request by its key',
    description:
      "For a create whose response was lost. Cancels the caller's own request of that key and returns it. Where there is no such request, none can be made " +
      'under the key for 24 hours: a later create returns 409 `request_withdrawn`. An instance can withdraw 600 keys without a request in a minute. Cancelling has no limit.',
    auth: 'agent',
    permission: 'request.create',
    permissionAt: () => ({ kind: 'any' }),
    // As withdrawing by id. What is kept of a key without a request has a separate limit.
    unlimited: true,
    query: z.strictObject({ idempotency_key: keyQuery() }),
    success: {
      status: 200,
      description: 'The cancelled request, or the key that had none.',
      body: z.union([request, withdrawnSchema]),
      example: {
        ...example,
        status: 'cancelled',
        decision: { status: 'cancelled', decided_at: '2026-11-21T13:02:00.000Z' },
      },
    },
    errors: ['already_terminal', 'rate_limited'],
    handler: async ({ principal, query: { idempotency_key: key } }, context) => {
      const cancelled = await withdrawByKey(context, principal, key);
      if (cancelled) return presented(cancelled);
      return { body: { idempotency_key: shownKey(key), status: 'cancelled' } };
    },
  });
}
