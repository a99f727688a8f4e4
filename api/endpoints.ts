/**
 * Every endpoint of the API, one line per noun. To add one, see docs/contributing/endpoint.md.
 */
import { provisionedInstanceEndpoints } from './agents/provisioned-instances.ts';
import { aapApprovalRequestEndpoints } from './requests/aap-approval-requests.ts';
import { agentCredentialEndpoints } from './agents/agent-credentials.ts';
import { agentEnrollmentEndpoints } from './agents/agent-enrollments.ts';
import { agentInstanceEndpoints } from './agents/agent-instances.ts';
import { agentProvisionerEndpoints } from './agents/agent-provisioners.ts';
import { agentEndpoints } from './agents/agents.ts';
import { apiKeyEndpoints } from './people/api-keys.ts';
import { approvalRequestChangeEndpoints } from './requests/approval-request-changes.ts';
import { approvalRequestClaimEndpoints } from './requests/approval-request-claims.ts';
import { approvalRequestReviewerEndpoints } from './requests/approval-request-reviewers.ts';
import { approvalRequestRevealEndpoints } from './requests/approval-request-reveal.ts';
import { approvalRequestRoutingEndpoints } from './requests/approval-request-routing.ts';
import { requestAssessmentEndpoints } from './requests/request-assessments.ts';
import { approvalRequestEndpoints } from './requests/approval-requests.ts';
import { authEndpoints } from './sign-in/auth.ts';
import type { Endpoint } from './http/endpoint.ts';
import { escalationPathPreviewEndpoints } from './escalation/escalation-path-previews.ts';
import { escalationPathEndpoints } from './escalation/escalation-paths.ts';
import { invitationEndpoints } from './people/invitations.ts';
import { meEndpoints } from './sign-in/me.ts';
import { memberIdentityEndpoints } from './people/member-identities.ts';
import { memberEndpoints } from './people/members.ts';
import { mfaEndpoints } from './sign-in/mfa.ts';
import { notificationChannelEndpoints } from './notifications/notification-channels.ts';
import { notificationDeliveryEndpoints } from './notifications/notification-deliveries.ts';
import { notificationSettingEndpoints } from './notifications/notification-settings.ts';
import { nameEndpoints } from './organization/names.ts';
import { oidcEndpoints } from './sign-in/oidc.ts';
import { organizationApiKeyEndpoints } from './people/organization-api-keys.ts';
import { organizationEndpoints } from './organization/organization.ts';
import { passwordEndpoints } from './sign-in/passwords.ts';
import { permissionPolicyEndpoints } from './people/permission-policies.ts';
import { pipelineEndpoints } from './pipelines/request-approval-pipelines.ts';
import { sessionEndpoints } from './sign-in/sessions.ts';
import { pushSubscriptionEndpoints } from './notifications/push-subscriptions.ts';
import { slackCallEndpoints } from './notifications/slack/calls.ts';
import { slackConnectionEndpoints } from './notifications/slack/connections.ts';
import { slackLinkEndpoints } from './notifications/slack/links.ts';
import { teamEscalationPolicyEndpoints } from './escalation/team-escalation-policies.ts';
import { teamEndpoints } from './people/teams.ts';
import { toolPresentationEndpoints } from './agents/tool-presentations.ts';
import { toolCatalogEndpoints } from './agents/tool-catalog.ts';
import { webhookDeliveryEndpoints } from './webhooks/webhook-deliveries.ts';
import { webhookEndpointEndpoints } from './webhooks/webhook-endpoints.ts';

export const endpoints: readonly Endpoint[] = [
  ...aapApprovalRequestEndpoints,
  ...provisionedInstanceEndpoints,
  ...approvalRequestChangeEndpoints,
  ...approvalRequestEndpoints,
  ...approvalRequestRoutingEndpoints,
  ...requestAssessmentEndpoints,
  ...approvalRequestClaimEndpoints,
  ...approvalRequestReviewerEndpoints,
  ...approvalRequestRevealEndpoints,
  ...authEndpoints,
  ...oidcEndpoints,
  ...passwordEndpoints,
  ...mfaEndpoints,
  ...sessionEndpoints,
  ...meEndpoints,
  ...organizationEndpoints,
  ...nameEndpoints,
  ...memberEndpoints,
  ...memberIdentityEndpoints,
  ...permissionPolicyEndpoints,
  ...teamEndpoints,
  ...teamEscalationPolicyEndpoints,
  ...invitationEndpoints,
  ...apiKeyEndpoints,
  ...organizationApiKeyEndpoints,
  ...agentEndpoints,
  ...agentInstanceEndpoints,
  ...agentCredentialEndpoints,
  ...agentProvisionerEndpoints,
  ...agentEnrollmentEndpoints,
  ...toolCatalogEndpoints,
  ...toolPresentationEndpoints,
  ...pipelineEndpoints,
  ...escalationPathEndpoints,
  ...escalationPathPreviewEndpoints,
  ...webhookEndpointEndpoints,
  ...webhookDeliveryEndpoints,
  ...notificationChannelEndpoints,
  ...notificationDeliveryEndpoints,
  ...notificationSettingEndpoints,
  ...pushSubscriptionEndpoints,
  ...slackConnectionEndpoints,
  ...slackLinkEndpoints,
  ...slackCallEndpoints,
];
