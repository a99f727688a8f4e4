/** Every endpoint of the interface, one line per noun. Adding one: ARCHITECTURE.md, «Where to add an endpoint». */
import { aapApprovalRequestEndpoints } from './aap-approval-requests.ts';
import { agentCredentialEndpoints } from './agent-credentials.ts';
import { agentEndpoints } from './agents.ts';
import { apiKeyEndpoints } from './api-keys.ts';
import { approvalRequestClaimEndpoints } from './approval-request-claims.ts';
import { approvalRequestReviewerEndpoints } from './approval-request-reviewers.ts';
import { approvalRequestRoutingEndpoints } from './approval-request-routing.ts';
import { approvalRequestEndpoints } from './approval-requests.ts';
import { authEndpoints } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { escalationPathPreviewEndpoints } from './escalation-path-previews.ts';
import { escalationPathEndpoints } from './escalation-paths.ts';
import { invitationEndpoints } from './invitations.ts';
import { meEndpoints } from './me.ts';
import { memberEndpoints } from './members.ts';
import { mfaEndpoints } from './mfa.ts';
import { notificationChannelEndpoints } from './notification-channels.ts';
import { notificationDeliveryEndpoints } from './notification-deliveries.ts';
import { notificationSettingEndpoints } from './notification-settings.ts';
import { oidcEndpoints } from './oidc.ts';
import { organizationApiKeyEndpoints } from './organization-api-keys.ts';
import { organizationEndpoints } from './organization.ts';
import { passwordEndpoints } from './passwords.ts';
import { permissionPolicyEndpoints } from './permission-policies.ts';
import { pipelineEndpoints } from './request-approval-pipelines.ts';
import { sessionEndpoints } from './sessions.ts';
import { slackEndpoints } from './slack.ts';
import { teamEscalationPolicyEndpoints } from './team-escalation-policies.ts';
import { teamEndpoints } from './teams.ts';

export const endpoints: readonly Endpoint[] = [
  ...aapApprovalRequestEndpoints,
  ...approvalRequestEndpoints,
  ...approvalRequestRoutingEndpoints,
  ...approvalRequestClaimEndpoints,
  ...approvalRequestReviewerEndpoints,
  ...authEndpoints,
  ...oidcEndpoints,
  ...passwordEndpoints,
  ...mfaEndpoints,
  ...sessionEndpoints,
  ...meEndpoints,
  ...organizationEndpoints,
  ...memberEndpoints,
  ...permissionPolicyEndpoints,
  ...teamEndpoints,
  ...teamEscalationPolicyEndpoints,
  ...invitationEndpoints,
  ...apiKeyEndpoints,
  ...organizationApiKeyEndpoints,
  ...agentEndpoints,
  ...agentCredentialEndpoints,
  ...pipelineEndpoints,
  ...escalationPathEndpoints,
  ...escalationPathPreviewEndpoints,
  ...notificationChannelEndpoints,
  ...notificationDeliveryEndpoints,
  ...notificationSettingEndpoints,
  ...slackEndpoints,
];
