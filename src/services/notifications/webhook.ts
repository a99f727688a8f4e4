/** Sends notifications to the organization's webhooks, signed. */
import type { WebhookTarget } from '../../domain/notifications/notification-channels.ts';
import { findWebhookTarget } from '../../data/notifications/notification-channels.ts';
import { publicStatus } from '../../domain/requests/approval-requests.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import { AnswerTooLarge, EgressDenied, EgressTimeout } from '../../platform/network/egress.ts';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import { signatureHeaders } from '../../platform/crypto/webhook-signature.ts';
import { v7 } from 'uuid';
import type { Runtime, ServiceContext } from '../context.ts';
import type { ChannelSender, Delivery, SendOutcome, TestMessage, TestOutcome } from './sender.ts';
import type { SendContext } from './statements.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 64 * 1024;

export const webhookSender: ChannelSender = { send, sendTest };

async function send(
  context: SendContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const target = await context.statements.webhookTarget(delivery.channelId);
  if (!target) return { kind: 'dropped', reason: 'channel_deleted' };
  const posted = await post(context, target, {
    ...delivery,
    payload: payloadOf(delivery, target),
    signal,
  });
  if (posted.kind === 'refused')
    return { kind: 'failed', error: posted.error, permanent: posted.permanent };
  const { status, retryAfterMs } = posted;
  if (isSuccess(status)) return { kind: 'delivered' };
  const again = { error: `status ${status}`, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return {
    kind: 'failed',
    ...(mayPass(status) ? again : { error: `status ${status} (not retried)`, permanent: true }),
  };
}

async function sendTest(
  context: ServiceContext,
  { channelId, organizationId }: TestMessage,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const target = await findWebhookTarget(context.db, channelId);
  if (!target) return { delivered: false, errorCode: 'channel_deleted' };
  const id = v7();
  const payload = {
    id,
    type: 'notification_channel.test',
    created_at: new Date(),
    organization_id: organizationId,
  };
  const posted = await post(context, target, { id, channelId, payload, signal });
  if (posted.kind === 'refused') return { delivered: false, errorCode: posted.code };
  const delivered = isSuccess(posted.status);
  return {
    delivered,
    statusCode: posted.status,
    ...(!delivered && { errorCode: 'unexpected_status' }),
  };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Statuses that concern this moment. All others concern the message and would come again. */
const mayPass = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number }
  | ({ readonly kind: 'refused' } & Refusal);

interface Refusal {
  readonly code: string;
  readonly error: string;
  /** The URL itself is refused, so a retry cannot help. */
  readonly permanent: boolean;
}

interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

async function post(
  runtime: Runtime,
  target: WebhookTarget,
  { id, channelId, payload, signal }: Message,
): Promise<Posted> {
  if (!runtime.secrets)
    return {
      kind: 'refused',
      code: 'secrets_key_missing',
      error: 'this deployment has no secrets key',
      permanent: false,
    };
  const secret = openSecret(runtime.secrets, target, channelId);
  if (secret === undefined)
    return {
      kind: 'refused',
      code: 'secret_unreadable',
      error: 'the signing secret does not open: restore its secrets key, or rotate the secret',
      permanent: false,
    };
  const body = stringifyExact(payload);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Countersign',
    ...signatureHeaders(secret, { id, at: new Date(), body }),
  };
  try {
    const answer = await runtime.egress.post(target.url, {
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: ANSWER_BYTES,
      signal,
    });
    return {
      kind: 'answered',
      status: answer.status,
      ...retryAfter(answer.headers['retry-after']),
    };
  } catch (error) {
    // The body does not matter, only that an answer came.
    if (error instanceof AnswerTooLarge) return { kind: 'answered', status: error.status };
    return { kind: 'refused', ...reasonOf(error) };
  }
}

/** Undefined when its key is not configured, or the stored value was changed or moved. */
function openSecret(
  secrets: SecretBox,
  { secret }: WebhookTarget,
  channelId: string,
): string | undefined {
  try {
    return secrets.open(secret, SEALED_FOR.webhookChannel(channelId)).toString();
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): Refusal {
  if (error instanceof EgressDenied) {
    const permanent = error.problem !== 'unresolved';
    return { code: 'egress_denied', error: `egress_denied: the URL ${error.message}`, permanent };
  }
  if (error instanceof EgressTimeout)
    return { code: 'timeout', error: `timeout: ${error.message}`, permanent: false };
  return {
    code: 'connection_failed',
    error: `connection failed: ${wordFor(error)}`,
    permanent: false,
  };
}

/** The error's code, such as ECONNREFUSED, or else its name. */
function wordFor(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown';
}

/** Reads whole seconds or an HTTP date; ignores anything else. */
function retryAfter(header: string | string[] | undefined): { retryAfterMs?: number } {
  if (typeof header !== 'string') return {};
  const ms = /^[0-9]{1,6}$/.test(header)
    ? Number(header) * 1_000
    : HTTP_DATE.test(header)
      ? Date.parse(header) - Date.now()
      : Number.NaN;
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(ms, 0) };
}

/** `Wed, 21 Oct 2026 07:28:00 GMT` */
const HTTP_DATE = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

/** Members that are undefined are left out of the JSON. */
function payloadOf(
  delivery: Delivery,
  { includeArguments }: WebhookTarget,
): Record<string, unknown> {
  const { request } = delivery;
  return {
    id: delivery.id,
    type: `approval_request.${delivery.event}`,
    created_at: delivery.createdAt,
    organization_id: delivery.organizationId,
    request: {
      id: request.id,
      tool: request.tool,
      server: request.server,
      agent_slug: request.agentSlug,
      agent_name: request.agentName,
      created_at: request.createdAt,
      deadline_at: request.deadlineAt,
      status: publicStatus(request.state),
      url: delivery.url,
      arguments: includeArguments ? request.arguments : undefined,
    },
    ...(delivery.event === 'notified' ? notifiedPart(delivery) : decidedPart(request)),
  };
}

function notifiedPart({
  recipient,
  level,
}: Extract<Delivery, { event: 'notified' }>): Record<string, unknown> {
  return {
    member: { membership_id: recipient.membershipId, display_name: recipient.displayName },
    level: {
      node_id: level.nodeId,
      team_id: level.teamId,
      run: level.run,
      notified_at: level.notifiedAt,
      escalate_at: level.escalateAt,
    },
  };
}

function decidedPart({ decision }: Delivery['request']): Record<string, unknown> {
  return {
    decision: decision && {
      status: decision.status,
      channel: decision.channel,
      membership_id: decision.membershipId,
      reviewer_display_name: decision.reviewerDisplayName,
      note: decision.note,
      decided_at: decision.decidedAt,
    },
  };
}
