/** Changing a password, and setting a new one through a link sent by email. */
import type { Endpoint } from './endpoint.ts';

export const passwordEndpoints: readonly Endpoint[] = [];
