/** Sends notifications to the organization's webhooks, signed. */
import { statusCause } from '../../domain/notifications/failures.ts';
import type { WebhookTarget } from '../../domain/notifications/notification-channels.ts';
import { findWebhookTarget } from '../../data/notifications/notification-channels.ts';
import { publicStatus } from '../../domain/requests/approval-requests.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import type { Recipient } from '../../domain/notifications/notifications.ts';
import { JsonText, stringifyExact } from '../../platform/json/exact-json.ts';
import { v7 } from 'uuid';
import type { Runtime, MessageContext } from '../context.ts';
import type { ChannelSender, Delivery, SendOutcome, TestMessage, TestOutcome } from './sender.ts';
import type { SendContext } from './statements.ts';
import { concealedArguments, howToShow } from './shown-request.ts';
import { isLarge } from '../heavy-work.ts';
import { excerptOf, isSuccess, mayPass, postSigned, type Posted } from '../webhooks/signed-post.ts';
import { openSigningSecrets } from '../webhooks/signing-secrets.ts';

const TIMEOUT_MS = 10_000;
/** Of the response to a test, the beginning is shown. Other responses are not read. */
const TEST_RESPONSE_BYTES = 64 * 1024;

export const webhookSender: ChannelSender = { send, sendTest };

async function send(
  context: SendContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SendOutcome> {
  if (delivery.event === 'digest') return { kind: 'dropped', reason: 'not_configured' };
  const target = await context.statements.webhookTarget(delivery.channelId);
  if (!target) return { kind: 'dropped', reason: 'channel_deleted' };
  const posted = await post(context, target, {
    ...delivery,
    payload: payloadOf(
      delivery,
      target.includeArguments ? await argumentsOf(context, delivery) : {},
    ),
    signal,
  });
  if (posted.kind === 'refused')
    return {
      kind: 'failed',
      error: posted.error,
      cause: posted.errorCause ?? posted.code,
      permanent: posted.permanent,
    };
  const { status, retryAfterMs } = posted;
  if (isSuccess(status)) return { kind: 'delivered' };
  const cause = statusCause(status);
  const again = { error: `status ${status}`, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return {
    kind: 'failed',
    cause,
    ...(mayPass(status) ? again : { error: `status ${status} (not retried)`, permanent: true }),
  };
}

async function sendTest(
  context: MessageContext,
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
  const maxBytes = TEST_RESPONSE_BYTES;
  const posted = await post(context, target, { id, channelId, payload, maxBytes, signal });
  if (posted.kind === 'refused') {
    const { code: errorCode, errorCause } = posted;
    return { delivered: false, errorCode, ...(errorCause && { errorCause }) };
  }
  const delivered = isSuccess(posted.status);
  return {
    delivered,
    statusCode: posted.status,
    ...(!delivered && { errorCode: 'unexpected_status' }),
    ...excerptOf(posted),
  };
}

interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Of the response. Default: its body is not read. */
  readonly maxBytes?: number;
}

interface NotSigned {
  readonly kind: 'refused';
  readonly code: 'secrets_key_missing' | 'secret_unreadable';
  readonly errorCause?: undefined;
  readonly error: string;
  readonly permanent: false;
}

async function post(
  runtime: Runtime,
  { url, secrets: stored }: WebhookTarget,
  { id, channelId, payload, signal, maxBytes = 0 }: Message,
): Promise<Posted | NotSigned> {
  if (!runtime.secrets)
    return {
      kind: 'refused',
      code: 'secrets_key_missing',
      error: 'this deployment has no secrets key',
      permanent: false,
    };
  const purpose = SEALED_FOR.webhookChannel(channelId);
  const secrets = openSigningSecrets(runtime.secrets, stored, purpose);
  if (secrets === undefined)
    return {
      kind: 'refused',
      code: 'secret_unreadable',
      error: 'the signing secret does not open: restore its secrets key, or rotate the secret',
      permanent: false,
    };
  const body = stringifyExact(payload);
  return await postSigned(runtime, {
    url,
    secrets,
    id,
    body,
    timeoutMs: TIMEOUT_MS,
    headers: { 'accept-encoding': 'identity' },
    maxBytes,
    signal,
  });
}

/** Members that are undefined are left out of the JSON. */
function payloadOf(delivery: Delivery, shown: ShownArguments): Record<string, unknown> {
  const { request } = delivery;
  return {
    id: delivery.id,
    type: `approval_request.${typeOf(delivery)}`,
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
      requester_state: delivery.event === 'decided' ? undefined : delivery.requesterState,
      url: delivery.url,
      ...shown,
    },
    ...partOf(delivery),
  };
}

const typeOf = (delivery: Delivery): string =>
  delivery.event === 'notified' && delivery.occasion.kind !== 'asked'
    ? delivery.occasion.kind
    : delivery.event;

function partOf(delivery: Delivery): Record<string, unknown> {
  switch (delivery.event) {
    case 'notified': {
      const { occasion, recipient } = delivery;
      return occasion.kind === 'claim_lapsed'
        ? { member: memberOf(recipient), claim: { member: memberOf(occasion.holder) } }
        : notifiedPart(delivery);
    }
    case 'unreachable':
      return { member: memberOf(delivery.recipient) };
    case 'ran_differently':
      return { member: memberOf(delivery.recipient), ...decidedPart(delivery.request) };
    case 'announced':
    case 'unreachable_announced':
    case 'decided':
    case 'digest':
      return decidedPart(delivery.request);
  }
}

const memberOf = ({
  membershipId,
  displayName,
}: Pick<Recipient, 'membershipId' | 'displayName'>) => ({
  membership_id: membershipId,
  display_name: displayName,
});

interface ShownArguments {
  readonly arguments?: JsonText;
  /** Pointers to the values that are replaced by a placeholder. */
  readonly hidden_arguments?: readonly string[];
}

async function argumentsOf(
  { statements, workerPool }: SendContext,
  { request }: Delivery,
): Promise<ShownArguments> {
  const how = howToShow(request, await statements.ownView(request));
  const given = { text: request.arguments.text, how };
  const { text, hidden } = isLarge([given.text])
    ? await workerPool.run(concealedArguments, given, `messages of ${request.agentCredentialId}`)
    : concealedArguments(given);
  return {
    arguments: new JsonText(text),
    ...(hidden.length > 0 && { hidden_arguments: hidden }),
  };
}

function notifiedPart({
  recipient,
  level,
}: Extract<Delivery, { event: 'notified' }>): Record<string, unknown> {
  return {
    member: memberOf(recipient),
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
