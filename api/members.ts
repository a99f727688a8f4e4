/** The members of the organization: list, suspend, reactivate, remove. */
import type { Endpoint } from './endpoint.ts';

export const memberEndpoints: readonly Endpoint[] = [];
