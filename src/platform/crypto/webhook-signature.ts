/**
 * Signatures of outgoing webhooks: our own header, and those of Standard Webhooks, which standard
 * libraries verify. Both are HMAC-SHA256 under the bytes after `whsec_`.
 */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface SignedMessage {
  /** The same for all attempts. */
  readonly id: string;
  readonly at: Date;
  /** Exactly what is sent. */
  readonly body: string;
}

/**
 * Header names in lower case. With several secrets, receivers that know any of them accept the
 * message. Throws for a malformed secret.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: SignedMessage,
): Record<string, string> {
  const keys = secrets.map(keyOf);
  const seconds = Math.floor(at.getTime() / 1_000);
  const signed = (content: string, encoding: 'hex' | 'base64'): string[] =>
    keys.map((key) => createHmac('sha256', key).update(content).digest(encoding));
  const ours = signed(`${seconds}.${body}`, 'hex').map((signature) => `v1=${signature}`);
  const standard = signed(`${id}.${seconds}.${body}`, 'base64');
  return {
    'service-signature': [`t=${seconds}`, ...ours].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.map((signature) => `v1,${signature}`).join(' '),
  };
}

function keyOf(secret: string): Buffer {
  const key = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.alloc(0);
  if (key.length !== SECRET_BYTES) throw new Error('not a signing secret');
  return key;
}
