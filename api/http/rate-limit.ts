/** Limits the calls of one credential to this process. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { credentialIdOf, type Principal } from '../../src/domain/people/authorization.ts';
import { AppError } from '../../src/domain/errors.ts';

/** Counts a call. Rejects with 429 `rate_limited` once the minute of the credential is used up. */
export type RateLimit = (principal: Principal) => Promise<void>;

/** A `callsPerMinute` of 0 means no limit. */
export function rateLimit(callsPerMinute: number): RateLimit {
  if (callsPerMinute === 0) return () => Promise.resolve();
  const limiter = new RateLimiterMemory({ points: callsPerMinute, duration: 60 });
  return async (principal) => {
    try {
      await limiter.consume(credentialIdOf(principal));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new AppError('rate_limited', {
        retryAfterSeconds: Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)),
      });
    }
  };
}
