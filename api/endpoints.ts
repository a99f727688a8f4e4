/** Every endpoint of the interface, one line per noun. Adding one: ARCHITECTURE.md, «Where to add an endpoint». */
import { aapApprovalRequestEndpoints } from './aap-approval-requests.ts';
import { agentEndpoints } from './agents.ts';
import { agentCredentialEndpoints } from './agent-credentials.ts';
import { apiKeyEndpoints } from './api-keys.ts';
import { approvalRequestRoutingEndpoints } from './approval-request-routing.ts';
import { approvalRequestEndpoints } from './approval-requests.ts';
import { authEndpoints } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { escalationPathEndpoints } from './escalation-paths.ts';
import { meEndpoints } from './me.ts';
import { pipelineEndpoints } from './request-approval-pipelines.ts';

export const endpoints: readonly Endpoint[] = [
  ...aapApprovalRequestEndpoints,
  ...approvalRequestEndpoints,
  ...approvalRequestRoutingEndpoints,
  ...authEndpoints,
  ...meEndpoints,
  ...apiKeyEndpoints,
  ...agentEndpoints,
  ...agentCredentialEndpoints,
  ...pipelineEndpoints,
  ...escalationPathEndpoints,
];
