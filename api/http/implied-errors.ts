/** Error codes that follow from the kind of endpoint, and need no declaration. */
import type { ErrorCode } from '../../src/domain/errors.ts';
import { takesActingAs, type Endpoint } from './endpoint.ts';

const inPath: readonly ErrorCode[] = ['not_found'];
const inBody: readonly ErrorCode[] = [
  'malformed_json',
  'duplicate_key',
  'payload_too_large',
  'unsupported_media_type',
];

/**
 * The codes of every endpoint of this kind: credential, headers, parameters, body, and general
 * failures.
 */
function impliedErrors(endpoint: Endpoint): readonly ErrorCode[] {
  const { auth, method, path, body, signedForm, headers, unlimited, edition, needsSecretsKey } =
    endpoint;
  const refusesPages = auth !== 'agent' && method !== 'get' && !endpoint.anyOrigin;
  return [
    'validation_failed',
    ...(body || signedForm ? inBody : []),
    ...(headers?.idempotencyKey === 'required' ? (['idempotency_key_required'] as const) : []),
    ...(headers?.ifMatch === 'required' ? (['if_match_required'] as const) : []),
    ...credentialErrors(endpoint),
    ...(refusesPages ? (['cross_site_request'] as const) : []),
    ...(takesActingAs(endpoint) ? (['other_person'] as const) : []),
    ...(path.includes('{') || edition === 'hosted' ? inPath : []),
    ...(needsSecretsKey ? (['secrets_key_missing'] as const) : []),
    ...(auth === 'none' || unlimited ? [] : (['rate_limited'] as const)),
    'headers_too_large',
    'internal_error',
    'dependency_unavailable',
  ];
}

function credentialErrors({ auth }: Endpoint): readonly ErrorCode[] {
  switch (auth) {
    case 'none':
      return [];
    case 'agent':
      return [
        'authentication_required',
        'permission_denied',
        'agent_disabled',
        'instance_disabled',
      ];
    case 'provisioner':
      return ['authentication_required', 'permission_denied', 'agent_disabled'];
    case 'product':
    case 'member':
    case 'personal_key':
      return [
        'authentication_required',
        'permission_denied',
        'membership_inactive',
        'api_keys_disabled',
      ];
    case 'session':
      return [
        'authentication_required',
        'permission_denied',
        'membership_inactive',
        'session_required',
      ];
  }
}

/** Every code that the operation can return, the implied ones first, each once. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  return [...new Set([...impliedErrors(endpoint), ...endpoint.errors])];
}
