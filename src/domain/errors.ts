/**
 * The error catalogue: every stable code a client can meet, its kind and its title. `AppError` is the only error thrown
 * on purpose; `api/http/problem.ts` alone turns it into the envelope of the specification.
 */

/** What went wrong, coarsely. `api/http/problem.ts` maps a kind to an HTTP status and the envelope's `type`. */
export type ErrorKind =
  | 'invalid'
  | 'precondition_required'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
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

interface CatalogueEntry {
  readonly kind: ErrorKind;
  readonly title: string;
}

const entry = (kind: ErrorKind, title: string): CatalogueEntry => ({ kind, title });

export const errorCatalogue = {
  validation_failed: entry('invalid', 'The request is not valid; details.issues names each field.'),
  malformed_json: entry('invalid', 'The body is not one valid JSON document in UTF-8.'),
  duplicate_key: entry('invalid', 'The body names the same key twice in one object.'),
  unknown_block_type: entry(
    'invalid',
    'The pipeline names a block type this edition does not know.',
  ),
  unknown_node_type: entry(
    'invalid',
    'The escalation path names a node type this version does not know.',
  ),
  idempotency_key_required: entry('invalid', 'The Idempotency-Key header is required.'),
  egress_denied: entry('invalid', 'The URL is not one this service may call.'),
  api_key_required: entry('invalid', 'This operation is for calls authenticated with an API key.'),
  payload_too_large: entry('too_large', 'The body is larger than 1 MiB.'),
  unsupported_media_type: entry('unsupported_media_type', 'The body must be application/json.'),
  if_match_required: entry('precondition_required', 'The If-Match header is required.'),
  revision_conflict: entry('precondition_failed', 'Another revision is active by now.'),
  authentication_required: entry(
    'unauthenticated',
    'The credential is missing, invalid, expired or revoked.',
  ),
  invalid_credentials: entry('unauthenticated', 'The email or the password is wrong.'),
  permission_denied: entry('forbidden', 'The credential is valid but may not do this.'),
  session_required: entry('forbidden', 'This operation is for a signed-in person in a browser.'),
  cross_site_request: entry(
    'forbidden',
    'A state-changing call from a browser must come from our own pages.',
  ),
  bootstrap_secret_invalid: entry('forbidden', 'The bootstrap secret is wrong.'),
  mfa_required: entry('forbidden', 'The organization requires a second factor: sign in with one.'),
  reauthentication_required: entry(
    'forbidden',
    'This needs a recent proof of who you are: authenticate again.',
  ),
  membership_inactive: entry('forbidden', 'The membership is not active.'),
  agent_disabled: entry('forbidden', 'The agent is disabled.'),
  instance_disabled: entry('forbidden', 'The agent instance is disabled.'),
  api_keys_disabled: entry('forbidden', 'The organization does not allow personal API keys.'),
  api_key_scoping_unavailable: entry(
    'forbidden',
    'Narrowing a key to chosen permissions is a feature of the hosted edition.',
  ),
  owner_required: entry('forbidden', 'Only an owner of the organization may do this.'),
  self_change: entry('forbidden', 'Nobody may do this to himself.'),
  grant_exceeds_own: entry(
    'forbidden',
    'Only access one holds oneself, at the same scope or wider, can be granted.',
  ),
  wrong_account: entry(
    'forbidden',
    'The invitation is for another email address: sign in with that one.',
  ),
  sign_in_not_admitted: entry(
    'forbidden',
    'The identity provider vouches for nobody who may enter here.',
  ),
  request_not_routed: entry('forbidden', 'The request was not routed to this reviewer.'),
  not_claim_holder: entry('forbidden', 'Another reviewer holds the claim: only he may release it.'),
  not_found: entry('not_found', 'No such resource, or none that you may see.'),
  method_not_allowed: entry('method_not_allowed', 'The path exists, but not with this method.'),
  already_bootstrapped: entry('conflict', 'This deployment already has its organization.'),
  idempotency_conflict: entry(
    'conflict',
    'The idempotency key was used before with other parameters.',
  ),
  already_terminal: entry('conflict', 'The request already has its final answer.'),
  claim_held: entry(
    'conflict',
    'Another reviewer claims the request; details says who, and until when.',
  ),
  request_not_pending: entry(
    'conflict',
    'The request no longer waits for people; details.status is its final answer.',
  ),
  request_evaluating: entry('conflict', 'The pipeline is still evaluating the request.'),
  member_exists: entry('conflict', 'Somebody with this email is a member already.'),
  membership_removed: entry('conflict', 'The member was removed from the organization.'),
  membership_in_escalation_path: entry(
    'conflict',
    'Escalation paths or policies ask this member; details lists them.',
  ),
  last_owner: entry('conflict', 'An organization keeps at least one active owner.'),
  directory_managed: entry('conflict', 'The directory manages this; change it there.'),
  account_exists: entry(
    'conflict',
    'An account with this email exists: prove that it is yours with its password, or sign in.',
  ),
  invitation_pending: entry('conflict', 'A pending invitation for this email exists.'),
  policy_limit_reached: entry(
    'conflict',
    'Nobody and nothing holds more permission policies than details.limit: change one instead.',
  ),
  seat_limit_reached: entry(
    'conflict',
    'Every seat of the organization is taken; details says how many there are.',
  ),
  team_name_taken: entry('conflict', 'Another live team has this name.'),
  team_member_in_escalation_policy: entry(
    'conflict',
    'The active escalation policy of the team asks these members; details lists them.',
  ),
  team_in_escalation_path: entry(
    'conflict',
    'Active escalation paths, or those of waiting requests, ask this team; details lists them.',
  ),
  team_archived: entry('conflict', 'The team is archived for good.'),
  policy_changed: entry(
    'conflict',
    'Somebody changed the permission policy meanwhile: read it again.',
  ),
  read_only_policy: entry(
    'conflict',
    'The permission policy cannot be changed here; read_only_reason says why.',
  ),
  no_password: entry(
    'conflict',
    'The account has no password: it signs in at an identity provider.',
  ),
  channel_built_in: entry(
    'conflict',
    'Every organization keeps its email channel: switch it off instead.',
  ),
  delivery_over: entry('conflict', 'The message was delivered, or nobody is to get it any more.'),
  slack_not_connected: entry('conflict', 'The organization has no Slack workspace connected.'),
  slack_workspace_taken: entry(
    'conflict',
    'Another organization has this Slack workspace connected.',
  ),
  mfa_enrolled: entry('conflict', 'An authenticator app is enrolled already.'),
  agent_slug_taken: entry('conflict', 'The slug belongs to a live or archived agent.'),
  agent_name_taken: entry('conflict', 'Another live agent has this name.'),
  agent_archived: entry('conflict', 'The agent is archived.'),
  instance_name_taken: entry('conflict', 'Another instance of the agent has this name.'),
  escalation_path_exists: entry('conflict', 'The key belongs to an existing escalation path.'),
  escalation_path_in_use: entry(
    'conflict',
    'An active pipeline names the escalation path; details.uses lists where.',
  ),
  escalation_path_inactive: entry(
    'conflict',
    'The pipeline names an escalation path that has no active revision.',
  ),
  escalation_path_archived: entry('conflict', 'The escalation path is archived for good.'),
  escalation_target_missing: entry(
    'conflict',
    'The revision asks members or teams that are no longer there; details lists them.',
  ),
  quota_exceeded: entry('limited', 'A limit of the organization is reached; details names it.'),
  rate_limited: entry('limited', 'Too many calls: wait as long as Retry-After says.'),
  secrets_key_missing: entry(
    'not_configured',
    'This deployment has no secrets key, so it can keep no secrets.',
  ),
  email_not_configured: entry('not_configured', 'This deployment sends no email.'),
  sso_not_configured: entry('not_configured', 'This deployment has no identity provider.'),
  email_not_delivered: entry('timed_out', 'The mail server did not take the message: try again.'),
  identity_provider_failed: entry(
    'timed_out',
    'The identity provider did not answer as it should: try again.',
  ),
  slack_failed: entry('timed_out', 'Slack did not answer as it should: try again.'),
  dependency_unavailable: entry(
    'unavailable',
    'A system the service depends on is away: try again.',
  ),
  internal_error: entry('internal', 'Something broke on our side; the request id identifies it.'),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** True when `code` is one of the catalogue's, so that it may stand in an envelope. */
function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** One validation problem. `pointer` is a JSON pointer into the body, or names a parameter such as `/query/limit`. */
export interface Issue {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface AppErrorOptions {
  /** Public sentence for a person; the catalogue's title when absent. */
  readonly detail?: string;
  /** Public structured details, only on documented codes. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Logged, never shown. */
  readonly internal?: Readonly<Record<string, unknown>>;
  /** Whole seconds a client should wait before it tries again, when the error knows. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly internal: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail ?? errorCatalogue[code].title, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.internal = options.internal;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get kind(): ErrorKind {
    return errorCatalogue[this.code].kind;
  }
}

/** A 400 that names each bad field; the first issue whose code is in the catalogue lends the envelope its code. */
export function invalid(issues: readonly Issue[]): AppError {
  const code = issues.map((issue) => issue.code).find(isErrorCode) ?? 'validation_failed';
  return new AppError(code, { details: { issues } });
}
