/** Whether a call really comes from Slack: version 0 of its signatures, HMAC-SHA256 over timestamp and raw body. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The headers of a signed call. */
export interface SlackRequestSignature {
  /** `X-Slack-Request-Timestamp` */
  readonly timestamp: string;
  /** `X-Slack-Signature` */
  readonly signature: string;
  /** The body, byte for byte. */
  readonly body: string;
}

/** In both directions, because a clock may be fast or slow. */
const MAX_AGE_S = 300;

/** Whether both headers are well formed and the timestamp is recent. This needs no secret. */
export function isTimely({ timestamp, signature }: SlackRequestSignature, now: Date): boolean {
  if (!/^[0-9]{1,12}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return false;
  return Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= MAX_AGE_S;
}

/** For a call with a recent timestamp. */
export function isSignedWith(
  secret: string,
  { timestamp, signature, body }: SlackRequestSignature,
): boolean {
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest();
  const presented = signatureBytes(signature);
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}

/** The signature without its version, as it is stored. */
export function signatureBytes(signature: string): Buffer {
  return Buffer.from(signature.slice('v0='.length), 'hex');
}
