/** Push messages as push services take them: encrypted for one browser, and signed (VAPID). */
import { ECDH } from 'node:crypto';
import webPush from 'web-push';

export interface VapidKeys {
  /** In base64url. */
  readonly publicKey: string;
  readonly privateKey: string;
}

export const newVapidKeys = (): VapidKeys => webPush.generateVAPIDKeys();

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const CURVE = 'prime256v1';

/** Whether the text is a public key with which messages can be encrypted: a point of the curve. */
export function isPushKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (!BASE64URL.test(text) || bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** Whether the text is the secret of 16 bytes that a browser makes for each subscription. */
export const isPushSecret = (text: string): boolean =>
  BASE64URL.test(text) && Buffer.from(text, 'base64url').length === 16;

export interface PushEnvelope {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly payload: string;
  readonly ttlSeconds: number;
  readonly urgency: 'normal' | 'high';
  readonly topic?: string;
}

/** What to post to the endpoint. `subject`: where the push service reaches us, an https or mailto URL. */
export function sealPush(
  { endpoint, p256dh, auth, payload, ttlSeconds, urgency, topic }: PushEnvelope,
  signer: VapidKeys & { readonly subject: string },
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    payload,
    {
      vapidDetails: signer,
      contentEncoding: 'aes128gcm',
      TTL: ttlSeconds,
      urgency,
      ...(topic !== undefined && { topic }),
    },
  );
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return { headers: Object.fromEntries(named) as Record<string, string>, body };
}
