/** Limits the calls of one credential to this process. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { credentialIdOf, type Principal } from '../../src/domain/people/authorization.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Counts a call. Rejects with 429 `rate_limited` once the minute of the credential is used up, or that of its agent
 * instance for this endpoint.
 */
export type RateLimit = (principal: Principal, endpoint: Limited) => Promise<void>;

type Limited = Pick<Endpoint, 'operationId' | 'callsPerMinute' | 'unlimited'>;

/** A `callsPerMinute` of 0 means no limit for all calls together. */
export function rateLimit(callsPerMinute: number): RateLimit {
  const ofCredentials = callsPerMinute === 0 ? undefined : perMinute(callsPerMinute);
  const ofEndpoints = new Map<string, RateLimiterMemory>();
  return async (principal, { operationId, callsPerMinute: points, unlimited }) => {
    if (ofCredentials && !unlimited) await consume(ofCredentials, credentialIdOf(principal));
    if (points === undefined) return;
    const limiter = ofEndpoints.get(operationId) ?? perMinute(points);
    ofEndpoints.set(operationId, limiter);
    const isAgent = principal.kind === 'agent';
    await consume(limiter, isAgent ? principal.instanceId : credentialIdOf(principal));
  };
}

const perMinute = (points: number) => new RateLimiterMemory({ points, duration: 60 });

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new AppError('rate_limited', {
      retryAfterSeconds: Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)),
    });
  }
}
