/** Every endpoint of the interface, one line per noun. Adding one: ARCHITECTURE.md, «Where to add an endpoint». */
import { agentEndpoints } from './agents.ts';
import { agentCredentialEndpoints } from './agent-credentials.ts';
import type { Endpoint } from './endpoint.ts';

export const endpoints: readonly Endpoint[] = [...agentEndpoints, ...agentCredentialEndpoints];
