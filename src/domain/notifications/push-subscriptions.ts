/** Push messages to browsers, and the subscriptions by which they get there. */
import type { ApprovalRequest } from '../requests/approval-requests.ts';
import type { StoredSecret } from '../sealed-secrets.ts';
import { digestTitle } from './digests.ts';
import { notifiedSubject } from './email-message.ts';
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

/** Asks to decide a request: its id, a title that names tool and agent, and its page. */
export function askingMessage(request: ApprovalRequest, url: string, now: Date): PushMessage {
  const title = notifiedSubject({ request });
  const ttl = Math.ceil((request.deadlineAt.getTime() - now.getTime()) / 1_000);
  return {
    payload: JSON.stringify({ request_id: request.id, title, url }),
    ttlSeconds: Math.max(ttl, 0),
    urgency: request.urgency === 'interrupt' ? 'high' : 'normal',
    topic: request.id.replaceAll('-', ''),
  };
}

/** Tells an owner that no one is left to decide. It replaces an earlier message about the request. */
export function unreachableMessage(request: ApprovalRequest, url: string, now: Date): PushMessage {
  const title = unreachableSubject({ request });
  const payload = JSON.stringify({ request_id: request.id, title, url });
  return { ...askingMessage(request, url, now), payload };
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
