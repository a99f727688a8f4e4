/** Every stable code that a client can get, its kind and what it means. */

/** The coarse category. `api/http/problems/problem.ts` maps a kind to an HTTP status and the envelope's `type`. */
export type ErrorKind =
  | 'invalid'
  | 'precondition_required'
  | 'precondition_failed'
  | 'too_large'
  | 'headers_too_large'
  | 'misdirected'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'limited'
  | 'not_configured'
  | 'timed_out'
  | 'unavailable'
  | 'internal';

export interface CatalogueEntry {
  readonly kind: ErrorKind;
  readonly title: string;
  /** What the details hold, for envelopes that have some. */
  readonly inDetails?: string;
}

const entry = (kind: ErrorKind, title: string, inDetails?: string): CatalogueEntry => ({
  kind,
  title,
  ...(inDetails !== undefined && { inDetails }),
});

export const errorCatalogue = {
  validation_failed: entry(
    'invalid',
    'The request is not valid.',
    'details.issues lists each field.',
  ),
  malformed_json: entry('invalid', 'The body must be one valid JSON document in UTF-8.'),
  duplicate_key: entry('invalid', 'The body repeats a key within one object. Send each key once.'),
  unknown_block_type: entry(
    'invalid',
    'The pipeline uses a block type that this version does not support.',
  ),
  unknown_node_type: entry(
    'invalid',
    'The escalation path uses a node type that this version does not support.',
  ),
  idempotency_key_required: entry(
    'invalid',
    'The Idempotency-Key header is required. Send a random value, and the same one when you repeat the call.',
  ),
  egress_denied: entry(
    'invalid',
    'This service is not allowed to call that URL. Use a public HTTPS address.',
  ),
  invalid_redirect_uri: entry(
    'invalid',
    'The client has not registered this redirect_uri, so the code cannot be sent there.',
  ),
  invalid_client_metadata: entry('invalid', 'The client metadata is not valid.'),
  invalid_grant: entry(
    'invalid',
    'The code or refresh token is invalid, expired, already used, or was issued to another client.',
  ),
  invalid_target: entry(
    'invalid',
    'The resource is not the MCP endpoint or the API of this service.',
  ),
  unsupported_grant_type: entry(
    'invalid',
    'The grant type must be authorization_code or refresh_token.',
  ),
  unsupported_delivery_type: entry(
    'invalid',
    'This service cannot deliver that way. Set delivery.type to webhook.',
  ),
  invalid_webhook_url: entry(
    'invalid',
    'This service is not allowed to call that URL. Use a public HTTPS address without a user name or fragment.',
  ),
  api_key_required: entry('invalid', 'This operation requires an API key.'),
  payload_too_large: entry('too_large', 'The body is larger than this operation accepts.'),
  host_not_served: entry(
    'misdirected',
    'This service does not serve that host name. Use 127.0.0.1 or localhost, or set COUNTERSIGN_PUBLIC_URL to the address that people use.',
  ),
  headers_too_large: entry('headers_too_large', 'The headers are larger than 16 KiB.'),
  unsupported_media_type: entry('unsupported_media_type', 'The body must be application/json.'),
  if_match_required: entry(
    'precondition_required',
    'The If-Match header is required. Send the active revision number.',
  ),
  revision_conflict: entry(
    'precondition_failed',
    'Another revision is active now. Read the document again, then retry.',
  ),
  authentication_required: entry(
    'unauthenticated',
    'The credential is missing, invalid, expired or revoked.',
  ),
  invalid_client: entry('unauthenticated', 'No client has this client_id.'),
  invalid_credentials: entry('unauthenticated', 'The email or the password is wrong.'),
  permission_denied: entry(
    'forbidden',
    'The credential is valid but does not have the required permission.',
  ),
  session_required: entry(
    'forbidden',
    'This operation requires a browser session. Sign in to the web app.',
  ),
  cross_site_request: entry(
    'forbidden',
    'Browsers can change state only from the pages of this service.',
  ),
  bootstrap_secret_invalid: entry('forbidden', 'The bootstrap secret is wrong.'),
  mfa_required: entry('forbidden', 'The organization requires a second factor. Sign in with one.'),
  reauthentication_required: entry(
    'forbidden',
    'This operation requires a recent sign-in. Authenticate again.',
  ),
  membership_inactive: entry(
    'forbidden',
    'The membership is not active. Ask an owner of the organization.',
  ),
  agent_disabled: entry('forbidden', 'The agent is disabled until someone enables it again.'),
  instance_disabled: entry(
    'forbidden',
    'The agent instance is disabled until someone enables it again.',
  ),
  api_keys_disabled: entry('forbidden', 'The organization does not allow personal API keys.'),
  api_key_scoping_unavailable: entry(
    'forbidden',
    'Scoping a key to chosen permissions requires the hosted edition.',
  ),
  owner_required: entry('forbidden', 'Only an owner of the organization may do this.'),
  self_change: entry('forbidden', 'You cannot do this to your own membership. Ask another member.'),
  grant_exceeds_own: entry(
    'forbidden',
    'You can grant only access that you hold at the same scope or wider.',
  ),
  wrong_account: entry(
    'forbidden',
    'The invitation is for another email address. Sign in with that address.',
  ),
  sign_in_not_admitted: entry(
    'forbidden',
    'The identity provider signed you in, but you have no access here. Ask an owner for an invitation.',
  ),
  email_not_verified: entry(
    'forbidden',
    'Your email is not verified by the provider. Verify it there, or ask the operator of this service about COUNTERSIGN_OIDC_TRUST_EMAIL.',
  ),
  request_not_routed: entry('forbidden', 'The request was routed to other people, who decide it.'),
  not_claim_holder: entry(
    'forbidden',
    'Another reviewer holds the claim. Only they can release it.',
  ),
  not_found: entry('not_found', 'The resource does not exist, or you do not have access to it.'),
  method_not_allowed: entry('method_not_allowed', 'The path does not support this method.'),
  other_person: entry(
    'conflict',
    'A different person is now signed in to this browser, so nothing was done. Reload the page.',
  ),
  already_bootstrapped: entry('conflict', 'This deployment already has its organization.'),
  idempotency_conflict: entry(
    'conflict',
    'The idempotency key was already used with different parameters.',
  ),
  already_terminal: entry(
    'conflict',
    'The request is already decided.',
    'details.status is the outcome.',
  ),
  not_approved: entry(
    'conflict',
    'The request is not approved, so its call cannot start.',
    'details.status is its status.',
  ),
  already_started: entry(
    'conflict',
    'The call has already started. An approval allows one start.',
    'details.started_at says when.',
  ),
  approval_expired: entry(
    'conflict',
    'The approval has expired. Ask again with a new key.',
    'details.expires_at says when.',
  ),
  not_started: entry(
    'conflict',
    'This instance has not started the call. Only the instance that started it reports its result.',
  ),
  result_reported: entry(
    'conflict',
    'A different result was already reported. Each call has one result.',
    'details.outcome is the one on record.',
  ),
  request_withdrawn: entry(
    'conflict',
    'This idempotency key was withdrawn before it created a request. Use a new key.',
  ),
  request_changed: entry(
    'conflict',
    'The arguments differ from the ones you saw. Read the request again before you decide.',
  ),
  claim_held: entry(
    'conflict',
    'Another reviewer holds the claim.',
    'details names them and when it ends.',
  ),
  request_not_pending: entry(
    'conflict',
    'The request is no longer pending.',
    'details.status is the outcome.',
  ),
  request_evaluating: entry(
    'conflict',
    'The pipeline is still evaluating the request. Try again shortly.',
  ),
  member_exists: entry('conflict', 'A member with this email already exists.'),
  membership_removed: entry(
    'conflict',
    'The member was removed from the organization. Send a new invitation to bring them back.',
  ),
  membership_in_escalation_path: entry(
    'conflict',
    'Escalation paths or policies target this member.',
    'Change those that details lists first.',
  ),
  last_owner: entry(
    'conflict',
    'An organization must keep at least one active owner. Make someone else an owner first.',
  ),
  directory_managed: entry('conflict', 'The directory manages this. Change it there.'),
  account_exists: entry(
    'conflict',
    'An account with this email exists. Send its password, or sign in first.',
  ),
  invitation_pending: entry('conflict', 'A pending invitation for this email exists.'),
  policy_limit_reached: entry(
    'conflict',
    'The organization has reached its limit of permission policies. Change an existing policy instead.',
  ),
  seat_limit_reached: entry(
    'conflict',
    'Every seat of the organization is taken.',
    'details.limit is the number of seats.',
  ),
  team_name_taken: entry('conflict', 'Another live team has this name. Choose a different name.'),
  team_member_in_escalation_policy: entry(
    'conflict',
    'The team’s active escalation policy targets members that you would remove.',
    'details lists them.',
  ),
  team_in_escalation_path: entry(
    'conflict',
    'Active escalation paths or waiting requests target this team.',
    'details lists them.',
  ),
  team_archived: entry('conflict', 'The team is archived permanently.'),
  policy_changed: entry('conflict', 'The permission policy changed. Read it again, then retry.'),
  read_only_policy: entry('conflict', 'The permission policy is read-only. See read_only_reason.'),
  no_password: entry(
    'conflict',
    'The account has no password. It signs in through an identity provider.',
  ),
  channel_built_in: entry('conflict', 'A built-in channel cannot be deleted. Disable it instead.'),
  delivery_over: entry(
    'conflict',
    'The message was delivered or is no longer needed, so it cannot be sent again.',
  ),
  slack_not_connected: entry(
    'conflict',
    'The organization has no Slack workspace. Connect one first.',
  ),
  slack_workspace_taken: entry(
    'conflict',
    'The Slack workspace is connected to another organization.',
  ),
  mfa_enrolled: entry('conflict', 'An authenticator app is already enrolled.'),
  agent_slug_taken: entry(
    'conflict',
    'The slug belongs to a live or archived agent. Choose another slug.',
  ),
  agent_name_taken: entry('conflict', 'Another live agent has this name. Choose another name.'),
  agent_archived: entry('conflict', 'The agent is archived. Restore it first.'),
  demo_agent: entry(
    'conflict',
    'Only the demo page can call as the demo agent. Create your own agent.',
  ),
  instance_name_taken: entry(
    'conflict',
    'Another instance of the agent has this name. Choose another name.',
  ),
  instance_deleted: entry(
    'conflict',
    'The instance created with this idempotency key was deleted. Create another one with a new key.',
  ),
  enrollment_target_fixed: entry(
    'conflict',
    'The machine asked for a different agent. Choose the agent that it named.',
  ),
  presentation_exists: entry(
    'conflict',
    'The organization already has a presentation for this tool. Replace that one.',
  ),
  escalation_path_exists: entry(
    'conflict',
    'An escalation path with this key exists, or existed before. Choose another key.',
  ),
  escalation_path_in_use: entry(
    'conflict',
    'Active pipelines use the escalation path.',
    'details.uses lists them.',
  ),
  escalation_path_inactive: entry(
    'conflict',
    'The pipeline uses an escalation path without an active revision. Activate one first.',
  ),
  escalation_path_archived: entry('conflict', 'The escalation path is archived permanently.'),
  escalation_target_missing: entry(
    'conflict',
    'The revision targets members or teams that no longer exist.',
    'details lists them.',
  ),
  webhook_endpoint_inactive: entry(
    'conflict',
    'The pipeline posts to webhook endpoints without an active revision.',
    'Activate a revision of each endpoint in details.webhook_endpoints.',
  ),
  webhook_endpoint_in_use: entry(
    'conflict',
    'Active pipelines post to the webhook endpoint.',
    'details.uses lists them.',
  ),
  quota_exceeded: entry(
    'limited',
    'The organization has reached a limit.',
    'details names the limit.',
  ),
  webhook_verification_failed: entry(
    'unprocessable',
    'The receiver did not return the challenge with status 200 within 10 seconds. Nothing was changed.',
  ),
  rate_limited: entry('limited', 'Too many calls. Retry after the seconds in Retry-After.'),
  secrets_key_missing: entry(
    'not_configured',
    'This deployment has no secrets key. Set COUNTERSIGN_SECRETS_KEY.',
  ),
  judge_not_configured: entry(
    'not_configured',
    'This deployment has no language model for judges. Set COUNTERSIGN_JUDGE_PROVIDER.',
  ),
  email_not_configured: entry('not_configured', 'This deployment sends no email. Set SMTP_URL.'),
  sso_not_configured: entry(
    'not_configured',
    'This deployment has no identity provider. Set COUNTERSIGN_OIDC_ISSUER.',
  ),
  email_not_delivered: entry('timed_out', 'The mail server did not accept the message. Try again.'),
  identity_provider_failed: entry(
    'timed_out',
    'The identity provider did not respond correctly. Try again.',
  ),
  slack_failed: entry('timed_out', 'Slack did not respond correctly. Try again.'),
  dependency_unavailable: entry(
    'unavailable',
    'A system that the service depends on is unavailable. Try again.',
  ),
  internal_error: entry(
    'internal',
    'The service failed. Include the request ID when you report this.',
  ),
} as const satisfies Record<string, CatalogueEntry>;
