/** Push messages to browsers, and the subscriptions by which they get there. */
import { requesterNotice, type RequesterState } from '../requests/call-marks.ts';
import { shownLine } from '../shown-text.ts';
import type { ApprovalRequest } from '../requests/approval-requests.ts';
import type { StoredSecret } from '../sealed-secrets.ts';
import { digestTitle } from './digests.ts';
import { occasionTitle, type Occasion } from './occasions.ts';
import { ranDifferentlySubject } from './ran-differently-messages.ts';
import { unreachableSubject } from './unreachable-messages.ts';

/** Most browsers of one member. */
export const MOST_SUBSCRIPTIONS = 20;

/** What a browser gives: where its push service takes messages, and the keys that encrypt them. */
export interface PushTarget {
  readonly endpoint: string;
  /** In base64url, as the browser gives them. */
  readonly p256dh: string;
  readonly auth: string;
}

export interface PushSubscription extends PushTarget {
  readonly id: string;
  readonly membershipId: string;
  /** The session that subscribed; null when it is purged. */
  readonly sessionId: string | null;
  readonly userAgent: string;
  readonly createdAt: Date;
  /** See the column's comment. */
  readonly acceptedDeliveryId: string | null;
}

/** The key pair that signs push messages. */
export interface StoredPushKey {
  readonly id: string;
  readonly publicKey: string;
  readonly privateKey: StoredSecret;
}

export interface PushMessage {
  /** JSON for the service worker. It never holds arguments. */
  readonly payload: string;
  /** How long the push service may keep it. */
  readonly ttlSeconds: number;
  readonly urgency: 'normal' | 'high';
  /** A later message of the same topic replaces one that has not arrived. */
  readonly topic?: string;
}

/** Names tool and agent, and no argument: it appears on locked screens. */
function titleOf({ urgency, tool, agentName }: ApprovalRequest, occasion: Occasion): string {
  const needed = urgency === 'interrupt' ? 'Urgent approval needed' : 'Approval needed';
  const title = [occasionTitle(occasion), needed].filter((part) => part !== undefined).join('. ');
  return `${title}: ${shownLine(tool, 80)} (${shownLine(agentName, 60)})`;
}

interface Asking {
  readonly request: ApprovalRequest;
  readonly requesterState: RequesterState;
  readonly url: string;
  readonly occasion?: Occasion;
}

/** Asks to decide a request: its id, a title that names tool and agent, its page, and whether the decision can be read. */
export function askingMessage(
  { request, requesterState, url, occasion = { kind: 'asked' } }: Asking,
  now: Date,
): PushMessage {
  const title = titleOf(request, occasion);
  const body = requesterNotice(requesterState);
  const ttl = Math.ceil((request.deadlineAt.getTime() - now.getTime()) / 1_000);
  return {
    payload: JSON.stringify({ request_id: request.id, title, body, url }),
    ttlSeconds: Math.max(ttl, 0),
    urgency: request.urgency === 'interrupt' ? 'high' : 'normal',
    topic: request.id.replaceAll('-', ''),
  };
}

/** Tells an owner that no one is left to decide. It replaces an earlier message about the request. */
export function unreachableMessage(delivery: Asking, now: Date): PushMessage {
  const { request, url } = delivery;
  const title = unreachableSubject({ request });
  const payload = JSON.stringify({ request_id: request.id, title, url });
  return { ...askingMessage(delivery, now), payload };
}

/** Tells the person who approved a call that another one ran. */
export function ranDifferentlyMessage({ request, url }: Asking): PushMessage {
  const title = ranDifferentlySubject(request);
  const payload = JSON.stringify({ request_id: request.id, title, url });
  return { payload, ttlSeconds: 86_400, urgency: 'high' };
}

/** A digest. A later one replaces it. It is of no use for long. */
export function digestMessage(count: number, url: string): PushMessage {
  const payload = JSON.stringify({ title: digestTitle(count), url });
  return { payload, ttlSeconds: 3_600, urgency: 'normal', topic: 'digest' };
}

/** Arrives within a minute, or not at all. */
export function testMessage(url: string): PushMessage {
  const title = 'Test message from Countersign';
  return { payload: JSON.stringify({ title, url }), ttlSeconds: 60, urgency: 'high' };
}
