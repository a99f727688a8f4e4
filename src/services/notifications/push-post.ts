/** Posts one push message to one browser's push service, and says what came of it. */
import { findPushKey } from '../../data/notifications/push-keys.ts';
import type { PushMessage, PushTarget } from '../../domain/notifications/push-subscriptions.ts';
import { isPushService } from '../../domain/notifications/push-services.ts';
import type { ErrorCause } from '../../domain/error-causes.ts';
import type { Db } from '../../platform/postgres.ts';
import { sealPush, type VapidKeys } from '../../platform/crypto/web-push.ts';
import type { MessagePorts, Runtime } from '../context.ts';
import { isSuccess, mayPass, postTo } from '../webhooks/signed-post.ts';
import { openPushKey } from './push-keys.ts';

const TIMEOUT_MS = 10_000;

/** Where push services reach the operator, when the service is not on https. */
const NO_CONTACT = 'mailto:operator@countersign.invalid';

export type PushOutcome =
  | { readonly kind: 'accepted'; readonly status: number }
  /** The browser has unsubscribed, or its subscription has ended. */
  | { readonly kind: 'gone'; readonly status: number }
  | {
      readonly kind: 'failed';
      /** Such as `timeout` or `unexpected_status`. */
      readonly code: string;
      readonly errorCause?: ErrorCause;
      readonly error: string;
      readonly permanent: boolean;
      readonly status?: number;
      readonly retryAfterMs?: number;
    };

const NO_PUSH_SERVICE: PushOutcome = {
  kind: 'failed',
  code: 'egress_denied',
  error: 'the endpoint is at no known push service',
  permanent: true,
};

/** Undefined when messages cannot be signed: no browser has subscribed, or there is no secrets key. */
export async function findSigner(
  runtime: Pick<Runtime, 'secrets'>,
  db: Db,
): Promise<VapidKeys | undefined> {
  const stored = await findPushKey(db);
  return stored && openPushKey(runtime, stored);
}

export async function postPush(
  runtime: Pick<Runtime & MessagePorts, 'egress' | 'publicUrl' | 'pushHosts'>,
  target: PushTarget,
  {
    message,
    signer,
    signal,
  }: { readonly message: PushMessage; readonly signer: VapidKeys; readonly signal: AbortSignal },
): Promise<PushOutcome> {
  const contact = runtime.publicUrl();
  const subject = contact.startsWith('https:') ? contact : NO_CONTACT;
  const { endpoint, p256dh, auth } = target;
  // Subscribed before the list was shorter.
  if (!isPushService(endpoint, runtime.pushHosts)) return NO_PUSH_SERVICE;
  const { headers, body } = sealPush(
    { endpoint, p256dh, auth, ...message },
    { ...signer, subject },
  );
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 0, signal };
  const posted = await postTo(runtime, endpoint, { headers, body, ...limits });
  if (posted.kind === 'refused') return { ...posted, kind: 'failed' };
  const { status, retryAfterMs } = posted;
  if (isSuccess(status)) return { kind: 'accepted', status };
  if (status === 404 || status === 410) return { kind: 'gone', status };
  const permanent = !mayPass(status);
  return {
    kind: 'failed',
    code: 'unexpected_status',
    error: `status ${status}${permanent ? ' (not retried)' : ''}`,
    permanent,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
