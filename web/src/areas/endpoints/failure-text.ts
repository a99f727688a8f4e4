/** Why an endpoint gave no valid result, and what to do about it. Pure. */
import type { Delivery } from './endpoints-data.ts';
import { connectionFailures } from '../../shared/api/connection-failures.ts';
import { failures } from './text.ts';

type Failure = Pick<Delivery, 'error_code' | 'error_cause' | 'status_code'>;

/** Undefined where nothing went wrong. */
export function failureText({
  error_code: code,
  error_cause: cause,
  status_code: status,
}: Failure): string | undefined {
  if (code === undefined) return undefined;
  if (code === 'connection_failed' && cause !== undefined) {
    const { fact, advice } = connectionFailures[cause];
    return `${fact} ${advice}`;
  }
  return code === 'unexpected_status' ? failures[code](status) : failures[code];
}
