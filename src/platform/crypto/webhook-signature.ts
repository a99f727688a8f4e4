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
  message: SignedMessage,
): Record<string, string> {
  const seconds = secondsOf(message);
  const ours = digests(secrets, { content: `${seconds}.${message.body}`, encoding: 'hex' });
  return {
    'service-signature': [`t=${seconds}`, ...ours.map((signature) => `v1=${signature}`)].join(','),
    ...standardHeaders(secrets, message),
  };
}

/** Only those of Standard Webhooks. */
export function standardHeaders(
  secrets: readonly string[],
  message: SignedMessage,
): Record<string, string> {
  const { id, body } = message;
  const seconds = secondsOf(message);
  const standard = digests(secrets, { content: `${id}.${seconds}.${body}`, encoding: 'base64' });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.map((signature) => `v1,${signature}`).join(' '),
  };
}

const secondsOf = ({ at }: SignedMessage): number => Math.floor(at.getTime() / 1_000);

const digests = (
  secrets: readonly string[],
  { content, encoding }: { readonly content: string; readonly encoding: 'hex' | 'base64' },
): string[] =>
  secrets.map((secret) => createHmac('sha256', keyOf(secret)).update(content).digest(encoding));

function keyOf(secret: string): Buffer {
  const key = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.alloc(0);
  if (key.length !== SECRET_BYTES) throw new Error('not a signing secret');
  return key;
}
