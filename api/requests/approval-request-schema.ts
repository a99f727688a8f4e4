/** A request as reviewers see it: the schemas, their examples, and how the domain's values become responses. */
import { z } from 'zod';
import { formatDuration } from '../../src/domain/durations.ts';
import {
  argumentsDigest,
  DECISION_STATUSES,
  LONGEST_DETAIL,
  publicStatus,
  REQUEST_STATUSES,
  type CallResult,
  type Decision,
} from '../../src/domain/requests/approval-requests.ts';
import { CALL_OUTCOMES } from '../../src/domain/call-outcomes.ts';
import { CANNOT_REASONS } from '../../src/domain/requests/request-access.ts';
import { REQUESTER_STATES, type CallMarks } from '../../src/domain/requests/call-marks.ts';
import type {
  MarkedRequest,
  RequestDetail,
  ShownRequest,
} from '../../src/services/requests/queue.ts';
import { APPROVAL_WINDOW } from '../../src/domain/agents/agents.ts';
import { hiddenNamesSchema } from '../organization/hidden-names.ts';
import { presentationSchema } from '../agents/tool-presentations.ts';
import { claimSchema, presentClaim } from './approval-request-claims.ts';
import { shownKey } from '../http/input.ts';
import { present } from '../http/present.ts';
import {
  authContextSchema,
  duration,
  exactObject,
  exactString,
  slug,
  timestamp,
  uuid,
} from '../http/schema.ts';

/** The SHA-256 of arguments, in hex. */
export const digest = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be a SHA-256 in 64 small hexadecimal digits' })
    .meta({ description });

export const decisionSchema = z
  .strictObject({
    id: uuid('Identifies the decision.'),
    request_id: uuid('The request it decides.'),
    organization_id: uuid('The organization.'),
    membership_id: uuid('Who decided; absent when no person did.').optional(),
    status: z.enum(DECISION_STATUSES).meta({ description: 'The outcome.' }),
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
    seen: z
      .strictObject({ arguments_digest: digest('As the client sent it.') })
      .optional()
      .meta({ description: 'What the reviewer saw, where the client sent that.' }),
    idempotency_key: z.string().meta({ description: 'The key the decision was made with.' }),
    decided_at: timestamp('When it became final.'),
  })
  .meta({ id: 'Decision', description: 'The one decision on a request.' });

const CALL_OUTCOME_RULE =
  '`succeeded` and `failed`: it ran. `not_run`: it was not called. `refused_by_runtime`: the runtime of the agent refused it. ' +
  '`ran_differently`: another call ran than the one that was approved.';

export const callResultShape = {
  outcome: z
    .enum(CALL_OUTCOMES)
    .meta({ description: `What came of the call. ${CALL_OUTCOME_RULE}` }),
  detail: z
    .string()
    .min(1)
    .max(LONGEST_DETAIL)
    .optional()
    .meta({ description: 'More about it, in words of the adapter. Never of the arguments.' }),
  arguments_digest: digest(
    'SHA-256 of the arguments that ran, in hex. The SDKs and the hook write them as canonical JSON first, so equal arguments can have another digest than `arguments_digest` of the request.',
  ).optional(),
};

const callResultSchema = z
  .strictObject({ ...callResultShape, reported_at: timestamp('When the adapter reported it.') })
  .meta({ id: 'CallResult', description: 'What came of an approved call that was started.' });

export const requestSchema = z
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
    result: callResultSchema.optional(),
    claim: claimSchema.optional(),
    presentation: presentationSchema.optional(),
  })
  .meta({ id: 'ApprovalRequest', description: 'An approval request as reviewers see it.' });

/** `urgency` of the request. */
export const urgencySchema = z.enum(['standard', 'interrupt']).meta({
  description: 'How urgent the request is. `interrupt` adds “Urgent” to the titles of messages.',
});

export const abilityShape = {
  can_decide: z
    .boolean()
    .meta({ description: 'Whether the caller could approve or deny the request now.' }),
  can_claim: z.boolean().meta({
    description: 'Whether the caller could claim the request now, or holds its claim already.',
  }),
};

const markShape = {
  requester_state: z.enum(REQUESTER_STATES).meta({
    description:
      'Whether the instance that asked can read the decision. `credential_ended`: no live credential of the instance is left, because they expired ' +
      'or were revoked. `instance_disabled`, `agent_disabled`, `agent_archived`: the instance or its agent is.',
  }),
  demo: z.literal(true).optional().meta({
    description: 'Present where the demo agent asks: whatever is decided, nothing runs.',
  }),
  identical_pending: z.int().meta({
    description:
      'How many pending requests make the same call: the same agent, tool, server and text of the arguments. A pending request counts itself. At most 1,000.',
  }),
  last_denied_at: timestamp(
    'When another request with the same call was denied last. Absent unless that was within the last hour.',
  ).optional(),
};

export const listedSchema = requestSchema
  .extend(markShape)
  .meta({ id: 'ListedApprovalRequest', description: 'An approval request in a list.' });

export const detailSchema = requestSchema
  .extend({
    ...markShape,
    arguments_digest: digest(
      'SHA-256 of the bytes of `arguments`, exactly as this response prints them. Send it as `seen.arguments_digest` with a decision.',
    ),
    hidden_names: hiddenNamesSchema,
    urgency: urgencySchema,
    approval_window: duration(
      'How long after an approval the call may start: the setting of the agent.',
      APPROVAL_WINDOW,
    ),
    approval_expires_at: timestamp(
      'On approvals only: the call must start before this instant.',
    ).optional(),
    started_at: timestamp(
      'When the adapter reported that it starts the approved call. Absent before that, and where the adapter does not report it.',
    ).optional(),
    ...abilityShape,
    can_add_reviewers: z
      .boolean()
      .meta({ description: 'Whether the caller could ask colleagues for help now.' }),
    cannot_reason: z
      .enum(CANNOT_REASONS)
      .optional()
      .meta({
        description:
          'Why the first of `can_decide`, `can_claim` and `can_add_reviewers` that is false is false. Absent when all are true. It is the code its ' +
          'endpoint would return. `permission_denied`: a permission is missing for this agent, or this kind of key cannot hold it. `mfa_required`: the ' +
          'organization requires a second factor, and the session or key had none. `request_not_routed`: the request was routed to others. ' +
          '`request_evaluating`: the pipeline has not concluded. `already_terminal`: the request has its decision. `claim_held`: another ' +
          'reviewer holds the claim. A claim stops no decision.',
      }),
    workflow_url: z.string().optional().meta({
      description:
        'Its workflow in the Temporal UI. Only for members who may see the state of the service, which takes `organization.settings.write`, and only with `COUNTERSIGN_TEMPORAL_UI_URL`.',
    }),
  })
  .meta({
    id: 'ApprovalRequestDetail',
    description: 'An approval request as reviewers see it, and what the caller can do to it.',
  });

export const decisionExample = {
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
  seen: {
    arguments_digest: '842740991e60f8462c43c3511c932dc9aae95ea5e901b1454ca7599cfda04009',
  },
  idempotency_key: '6f1c7f2e-6f5e-4f5a-8d0c-0d5b6b1c9f00',
  decided_at: '2026-11-21T13:02:00.000Z',
};
export const requestExample = {
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

export const listedExample = {
  ...requestExample,
  requester_state: 'active',
  identical_pending: 1,
};

export const detailExample = {
  ...listedExample,
  arguments_digest: decisionExample.seen.arguments_digest,
  hidden_names: { defaults: true, add: [] },
  urgency: 'standard',
  approval_window: '5m',
  can_decide: true,
  can_claim: true,
  can_add_reviewers: true,
};

export function presentDecision(decision: Decision) {
  const { seenArgumentsDigest: seen } = decision;
  return present(decisionSchema, {
    ...decision,
    idempotencyKey: shownKey(decision.idempotencyKey),
    seen: seen === undefined ? undefined : { arguments_digest: seen },
  });
}

export const presentResult = (result: CallResult | undefined) =>
  result && present(callResultSchema, result);

const presentable = ({ request, presentation }: ShownRequest) => ({
  ...request,
  presentation,
  status: publicStatus(request.state),
  decision: request.decision && presentDecision(request.decision),
  claim: presentClaim(request.claim),
  result: presentResult(request.result),
});

export const presentRequest = (shown: ShownRequest) => present(requestSchema, presentable(shown));

/** `lastDeniedAt` of the domain is null where the response has no member. */
export const presentMarks = ({ lastDeniedAt, isDemo, ...marks }: CallMarks) => ({
  demo: isDemo || undefined,
  ...marks,
  lastDeniedAt: lastDeniedAt ?? undefined,
});

export const presentListed = ({ marks, ...shown }: MarkedRequest) =>
  present(listedSchema, { ...presentable(shown), ...presentMarks(marks) });

/** `workflowUrl`: undefined for everyone who may not see the state of the service. */
export const presentDetail = (
  { abilities, marks, hiddenNames, ...shown }: RequestDetail,
  workflowUrl: string | undefined,
) =>
  present(detailSchema, {
    ...presentable(shown),
    ...presentMarks(marks),
    ...abilities,
    argumentsDigest: argumentsDigest(shown.request),
    hiddenNames: { ...hiddenNames, add: [...hiddenNames.add] },
    cannotReason: abilities.cannotReason,
    approvalWindow: formatDuration(marks.approvalWindow),
    approvalExpiresAt: shown.request.decision?.expiresAt,
    workflowUrl,
  });
