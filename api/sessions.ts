/** The caller's own sessions: where he is signed in, and ending that. */
import type { Endpoint } from './endpoint.ts';

export const sessionEndpoints: readonly Endpoint[] = [];
