/** Every endpoint of the interface, one line per noun. Adding one: ARCHITECTURE.md, «Where to add an endpoint». */
import { agentEndpoints } from './agents.ts';
import { agentCredentialEndpoints } from './agent-credentials.ts';
import { apiKeyEndpoints } from './api-keys.ts';
import { authEndpoints } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { meEndpoints } from './me.ts';

export const endpoints: readonly Endpoint[] = [
  ...authEndpoints,
  ...meEndpoints,
  ...apiKeyEndpoints,
  ...agentEndpoints,
  ...agentCredentialEndpoints,
];
