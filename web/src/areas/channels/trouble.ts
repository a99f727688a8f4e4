/** Why a message did not arrive, read from what the service says about it. Pure. */
import type { components } from '../../shared/api/openapi.d.ts';

type Kind = components['schemas']['NotificationChannel']['kind'];
type Test = components['schemas']['NotificationTest'];

export interface Trouble {
  readonly kind: Kind;
  /** Such as `timeout` or an error code of Slack. */
  readonly code: string;
  readonly cause?: string | undefined;
  readonly status?: number | undefined;
}

export const troubleOfTest = (kind: Kind, test: Test): Trouble => ({
  kind,
  code: test.error_code ?? 'failed',
  cause: test.error_cause,
  status: test.status_code,
});

type Reading = readonly [pattern: RegExp, read: (found: RegExpExecArray) => Omit<Trouble, 'kind'>];

/** As the senders of the service write them. */
const READINGS: readonly Reading[] = [
  [/^status (\d+)/, ([, status]) => ({ code: 'unexpected_status', status: Number(status) })],
  [/^timeout:/, () => ({ code: 'timeout', cause: 'timeout' })],
  [/^connection failed: ([a-z]+)?/, ([, cause]) => ({ code: 'connection_failed', cause })],
  [
    /^egress_denied: (.*)/,
    ([, why = '']) => ({
      code: 'egress_denied',
      cause: why.includes('cannot be found') ? 'dns' : undefined,
    }),
  ],
  [/^Slack: (\w+)(?: \((\w+)\))?/, ([, code = '', cause]) => ({ code, cause })],
  [/has no secrets key$/, () => ({ code: 'secrets_key_missing' })],
  [/does not open/, () => ({ code: 'secret_unreadable' })],
  [/no known push service/, () => ({ code: 'unknown_push_service' })],
];

/** `error`: the last error of a message. One that is not known is what a mail server said, or a failure of the service. */
export function troubleOfError(kind: Kind, error: string): Trouble {
  for (const [pattern, read] of READINGS) {
    const found = pattern.exec(error);
    if (found) return { kind, ...read(found) };
  }
  return { kind, code: kind === 'email' ? 'email_not_delivered' : 'failed' };
}
