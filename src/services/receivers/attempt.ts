/** One attempt at a leased event: posts it to the receiver that its instance has now, and records the outcome. */
import {
  claimDestinations,
  recordEventAttempts,
  type EventAttempted,
  type EventReceiver,
  type Heading,
  type LeasedEvent,
  type RecordedEvent,
} from '../../data/receivers/receiver-events.ts';
import { destinationsOf } from '../../domain/receivers/receivers.ts';
import {
  ATTEMPT_MS,
  maySayWhen,
  MOST_AT_ONCE,
  retryPause,
} from '../../domain/receivers/retries.ts';
import { SEALED_FOR } from '../../domain/sealed-secrets.ts';
import { standardHeaders } from '../../platform/crypto/webhook-signature.ts';
import { EgressDenied } from '../../platform/network/egress.ts';
import type { Pool } from '../../platform/postgres.ts';
import { inSets } from '../../platform/sets.ts';
import type { ServiceContext } from '../context.ts';
import { isSuccess, postSigned } from '../webhooks/signed-post.ts';
import { openSigningSecret } from '../webhooks/signing-secrets.ts';

/** How long an attempt waits for others to the same destination. */
const TURN_MS = 250;

/** What many events need at the same time is one statement. */
export interface EventStatements {
  /** Whether no more than eight attempts are under way to any of the destinations. */
  claim(heading: Heading): Promise<boolean>;
  /** What was recorded. Undefined when another process holds the event by now. */
  record(attempt: RecordedEvent): Promise<EventAttempted['kind'] | undefined>;
}

export interface EventContext extends ServiceContext {
  readonly events: EventStatements;
}

export function openEventStatements(db: Pool): EventStatements {
  return {
    claim: inSets((headings: readonly Heading[]) => claimDestinations(db, headings, MOST_AT_ONCE)),
    record: inSets(async (attempts: readonly RecordedEvent[]) => {
      const recorded = await recordEventAttempts(db, attempts);
      return attempts.map(({ id }) => recorded.get(id));
    }),
  };
}

export interface TakenEvent {
  readonly lease: string;
  readonly event: LeasedEvent;
}

/**
 * Never rejects: an event whose outcome cannot be recorded is sent again after its lease. Returns the outcome, if it is
 * recorded. `signal` ends the attempt.
 */
export async function attemptEvent(
  context: EventContext,
  { lease, event }: TakenEvent,
  signal: AbortSignal,
): Promise<EventAttempted['kind'] | undefined> {
  try {
    const attempted = await outcomeOf(context, { lease, event }, signal);
    const recorded = await context.events.record({ id: event.id, lease, attempted });
    if (recorded) context.metrics.receiverAttempts.inc({ outcome: recorded });
    return recorded;
  } catch (error) {
    context.logger.warn(
      { err: error, event: event.id },
      'the outcome of an event could not be recorded',
    );
    return undefined;
  }
}

async function outcomeOf(
  context: EventContext,
  taken: TakenEvent,
  signal: AbortSignal,
): Promise<EventAttempted> {
  const { event } = taken;
  if (!event.receiver) return { kind: 'removed' };
  if (event.leftMs < 1) return { kind: 'expired' };
  const posted = await post(context, { ...taken, receiver: event.receiver }, signal);
  if (posted.kind !== 'failed') return posted;
  const { error, atLeastMs } = posted;
  const about = { event: event.id, attempt: event.attempts, error };
  context.logger.info(about, 'an event was not delivered to its receiver');
  const afterMs = retryPause(event.attempts, Math.random(), atLeastMs);
  return { kind: 'retry', error, afterMs };
}

type Outcome =
  | { readonly kind: 'delivered' }
  | Extract<EventAttempted, { kind: 'later' }>
  | { readonly kind: 'failed'; readonly error: string; readonly atLeastMs?: number };

async function post(
  context: EventContext,
  { lease, event, receiver }: TakenEvent & { readonly receiver: EventReceiver },
  signal: AbortSignal,
): Promise<Outcome> {
  const { instanceId, url, secret: stored } = receiver;
  const secret =
    context.secrets && openSigningSecret(context.secrets, stored, SEALED_FOR.receiver(instanceId));
  if (secret === undefined) return { kind: 'failed', error: 'the signing secret does not open' };
  const addresses = await context.egress
    .addressesOf(url)
    .catch((error: unknown) => reasonOf(error));
  if (typeof addresses === 'string') return { kind: 'failed', error: addresses };
  const { id, body } = event;
  const destinations = destinationsOf(url, addresses);
  if (!(await context.events.claim({ id, lease, destinations })))
    return { kind: 'later', afterMs: TURN_MS };
  const posted = await postSigned(context, {
    ...{ url, addresses, secrets: [secret], id, body, signal, sign: standardHeaders },
    timeoutMs: Math.min(ATTEMPT_MS, event.leftMs),
    maxBytes: 0,
  });
  if (posted.kind === 'refused') return { kind: 'failed', error: posted.error };
  const { status, retryAfterMs } = posted;
  if (isSuccess(status)) return { kind: 'delivered' };
  const asks = maySayWhen(status) && retryAfterMs !== undefined;
  return { kind: 'failed', error: `status ${status}`, ...(asks && { atLeastMs: retryAfterMs }) };
}

function reasonOf(error: unknown): string {
  return error instanceof EgressDenied
    ? `egress_denied: the URL ${error.message}`
    : 'connection failed: dns';
}
