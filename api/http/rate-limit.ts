/** Limits the calls of one credential to this process. */
import { credentialIdOf, type Principal } from '../../src/domain/people/authorization.ts';
import { AppError } from '../../src/domain/errors.ts';
import { minuteLimit } from '../../src/platform/minute-limit.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Counts a call. Throws 429 `rate_limited` once the minute of the credential is used up, or that of its agent
 * instance for this endpoint.
 */
export type RateLimit = (principal: Principal, endpoint: Limited) => void;

type Limited = Pick<Endpoint, 'operationId' | 'callsPerMinute' | 'unlimited'>;

/** A `callsPerMinute` of 0 means no limit for all calls together. */
export function rateLimit(callsPerMinute: number): RateLimit {
  const ofCredentials = callsPerMinute === 0 ? undefined : minuteLimit(callsPerMinute);
  const ofEndpoints = new Map<string, Count>();
  return (principal, { operationId, callsPerMinute: most, unlimited }) => {
    if (ofCredentials && !unlimited) admit(ofCredentials, credentialIdOf(principal));
    if (most === undefined) return;
    const ofEndpoint = ofEndpoints.get(operationId) ?? minuteLimit(most);
    ofEndpoints.set(operationId, ofEndpoint);
    const isAgent = principal.kind === 'agent';
    admit(ofEndpoint, isAgent ? principal.instanceId : credentialIdOf(principal));
  };
}

type Count = ReturnType<typeof minuteLimit>;

function admit(count: Count, key: string): void {
  const waitMs = count(key);
  if (waitMs > 0)
    throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
