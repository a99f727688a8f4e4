/** What members, teams and organization keys may do: one set of operations for the three. */
import type { Endpoint } from './endpoint.ts';

export const permissionPolicyEndpoints: readonly Endpoint[] = [];
