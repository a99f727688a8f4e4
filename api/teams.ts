/** Teams: who is in them, and their names. */
import type { Endpoint } from './endpoint.ts';

export const teamEndpoints: readonly Endpoint[] = [];
