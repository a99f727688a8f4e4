/** Second factors: an authenticator app and recovery codes. */
import type { Endpoint } from './endpoint.ts';

export const mfaEndpoints: readonly Endpoint[] = [];
