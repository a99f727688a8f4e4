/** In which order a team is asked when an escalation path reaches it. */
import type { Endpoint } from './endpoint.ts';

export const teamEscalationPolicyEndpoints: readonly Endpoint[] = [];
