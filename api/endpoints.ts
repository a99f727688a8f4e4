/**
 * Every endpoint of the API, one line per noun. To add one, see docs/contributing/endpoint.md.
 */
import { aapInstanceEndpoints } from './aap/provisioned-instances.ts';
import { aapApprovalRequestEndpoints } from './aap/approval-requests.ts';
import { agentCredentialEndpoints } from './agents/agent-credentials.ts';
import { agentEnrollmentEndpoints } from './agents/agent-enrollments.ts';
import { agentInstanceEndpoints } from './agents/agent-instances.ts';
import { agentProvisionerEndpoints } from './agents/agent-provisioners.ts';
import { demoAgentEndpoints } from './agents/demo-agent.ts';
import { agentEndpoints } from './agents/agents.ts';
import { apiKeyEndpoints } from './people/api-keys.ts';
import { approvalRequestChangeEndpoints } from './requests/approval-request-changes.ts';
import { approvalRequestClaimEndpoints } from './requests/approval-request-claims.ts';
import { approvalRequestReviewerEndpoints } from './requests/approval-request-reviewers.ts';
import { approvalRequestRevealEndpoints } from './requests/approval-request-reveal.ts';
import { approvalRequestRoutingEndpoints } from './requests/approval-request-routing.ts';
import { requestAssessmentEndpoints } from './requests/request-assessments.ts';
import { approvalRequestEndpoints } from './requests/approval-requests.ts';
import { auditProofEndpoints } from './audit/audit-proof.ts';
import { auditEventEndpoints } from './audit/audit-events.ts';
import { authEndpoints } from './sign-in/auth.ts';
import type { Endpoint } from './http/endpoint.ts';
import { escalationPathPreviewEndpoints } from './escalation/escalation-path-previews.ts';
import { escalationPathEndpoints } from './escalation/escalation-paths.ts';
import { invitationEndpoints } from './people/invitations.ts';
import { mcpEndpoints } from './mcp/mcp.ts';
import { meEndpoints } from './sign-in/me.ts';
import { memberIdentityEndpoints } from './people/member-identities.ts';
import { memberUseEndpoints } from './people/member-uses.ts';
import { memberEndpoints } from './people/members.ts';
import { mfaEndpoints } from './sign-in/mfa.ts';
import { notificationChannelEndpoints } from './notifications/notification-channels.ts';
import { notificationDeliveryEndpoints } from './notifications/notification-deliveries.ts';
import { notificationSettingEndpoints } from './notifications/notification-settings.ts';
import { nameEndpoints } from './organization/names.ts';
import { overviewEndpoints } from './organization/overview.ts';
import { systemEndpoints } from './organization/system.ts';
import { oidcEndpoints } from './sign-in/oidc.ts';
import { organizationApiKeyEndpoints } from './people/organization-api-keys.ts';
import { organizationEndpoints } from './organization/organization.ts';
import { organizationUsageEndpoints } from './organization/usage.ts';
import { passwordEndpoints } from './sign-in/passwords.ts';
import { accessEndpoints } from './people/access.ts';
import { permissionPolicyEndpoints } from './people/permission-policies.ts';
import { pipelineEndpoints } from './pipelines/request-approval-pipelines.ts';
import { sessionEndpoints } from './sign-in/sessions.ts';
import { pushSubscriptionEndpoints } from './notifications/push-subscriptions.ts';
import { slackCallEndpoints } from './notifications/slack/calls.ts';
import { slackConnectionEndpoints } from './notifications/slack/connections.ts';
import { slackLinkEndpoints } from './notifications/slack/links.ts';
import { teamEscalationPolicyEndpoints } from './escalation/team-escalation-policies.ts';
import { teamEndpoints } from './people/teams.ts';
import { seenArgumentEndpoints } from './agents/seen-arguments.ts';
import { toolPresentationEndpoints } from './agents/tool-presentations.ts';
import { oauthAuthorizationEndpoints } from './oauth/oauth-authorizations.ts';
import { oauthClientEndpoints } from './oauth/oauth-clients.ts';
import { oauthMetadataEndpoints } from './oauth/oauth-metadata.ts';
import { oauthTokenEndpoints } from './oauth/oauth-tokens.ts';
import { toolAccessEndpoints } from './agents/tool-access.ts';
import { toolCatalogEndpoints } from './agents/tool-catalog.ts';
import { webhookDeliveryEndpoints } from './webhooks/webhook-deliveries.ts';
import { webhookEndpointEndpoints } from './webhooks/webhook-endpoints.ts';

export const endpoints: readonly Endpoint[] = [
  ...aapApprovalRequestEndpoints,
  ...aapInstanceEndpoints,
  ...approvalRequestChangeEndpoints,
  ...approvalRequestEndpoints,
  ...approvalRequestRoutingEndpoints,
  ...requestAssessmentEndpoints,
  ...approvalRequestClaimEndpoints,
  ...approvalRequestReviewerEndpoints,
  ...approvalRequestRevealEndpoints,
  ...auditProofEndpoints,
  ...auditEventEndpoints,
  ...authEndpoints,
  ...oidcEndpoints,
  ...passwordEndpoints,
  ...mfaEndpoints,
  ...sessionEndpoints,
  ...meEndpoints,
  ...organizationEndpoints,
  ...organizationUsageEndpoints,
  ...nameEndpoints,
  ...overviewEndpoints,
  ...systemEndpoints,
  ...memberEndpoints,
  ...memberIdentityEndpoints,
  ...accessEndpoints,
  ...memberUseEndpoints,
  ...permissionPolicyEndpoints,
  ...teamEndpoints,
  ...teamEscalationPolicyEndpoints,
  ...invitationEndpoints,
  ...apiKeyEndpoints,
  ...organizationApiKeyEndpoints,
  ...oauthMetadataEndpoints,
  ...oauthClientEndpoints,
  ...oauthAuthorizationEndpoints,
  ...oauthTokenEndpoints,
  ...mcpEndpoints,
  ...agentEndpoints,
  ...demoAgentEndpoints,
  ...agentInstanceEndpoints,
  ...agentCredentialEndpoints,
  ...agentProvisionerEndpoints,
  ...agentEnrollmentEndpoints,
  ...toolCatalogEndpoints,
  ...toolAccessEndpoints,
  ...seenArgumentEndpoints,
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
