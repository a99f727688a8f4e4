/** What a client asks for when it sends a person's browser: which key, for what, and where the code goes. */
import type { Issue } from '../errors.ts';
import { isPermission, mayHold, type Permission } from '../people/permissions.ts';
import { readResource, type OAuthResource } from '../people/key-resources.ts';

/** As sent. The client and its redirect URI are looked up apart, before anything else is said about the request. */
export interface AuthorizationParameters {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly response_type?: string | undefined;
  readonly state?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
}

/** A valid one. */
export interface AuthorizationTerms {
  readonly codeChallenge: string;
  readonly resource: OAuthResource;
  /** The permissions that the client names and keys can hold; empty when it names none. */
  readonly requested: readonly Permission[];
}

/** The `error` that a client gets in its redirect (RFC 6749, RFC 8707). */
export type AuthorizationError = 'unsupported_response_type' | 'invalid_request' | 'invalid_target';

export interface AuthorizationIssue extends Issue {
  readonly error: AuthorizationError;
}

/** SHA-256 in base64url without padding. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export type ReadTerms =
  | { readonly ok: true; readonly terms: AuthorizationTerms }
  | { readonly ok: false; readonly issue: AuthorizationIssue };

const wrong =
  (error: AuthorizationError, member: string) =>
  (message: string): ReadTerms => ({
    ok: false,
    issue: { error, pointer: `/${member}`, code: 'invalid_value', message },
  });

export function readTerms(publicUrl: string, sent: AuthorizationParameters): ReadTerms {
  if (sent.response_type !== 'code')
    return wrong('unsupported_response_type', 'response_type')('must be code');
  if (sent.code_challenge_method !== 'S256')
    return wrong('invalid_request', 'code_challenge_method')('must be S256');
  if (!CHALLENGE.test(sent.code_challenge ?? ''))
    return wrong('invalid_request', 'code_challenge')('must be a SHA-256 digest in base64url');
  const resource = readResource(publicUrl, sent.resource);
  if (resource === undefined)
    return wrong(
      'invalid_target',
      'resource',
    )('must be the MCP endpoint or the API of this service');
  // Clients ask for `offline_access` or `openid` wherever they go. RFC 6749 lets a server ignore what it does not know.
  const requested = [...new Set((sent.scope ?? '').split(' '))].filter(isKeyPermission);
  return { ok: true, terms: { codeChallenge: sent.code_challenge ?? '', resource, requested } };
}

const isKeyPermission = (name: string): name is Permission =>
  isPermission(name) && mayHold('api_key', name);
