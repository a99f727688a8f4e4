/** A client asks a person for a key, and the person decides on the consent page. */
import { z } from 'zod';
import { permissionEntry, permissions } from '../../src/domain/people/permissions.ts';
import {
  beginAuthorization,
  decideAuthorization,
  previewAuthorization,
} from '../../src/services/oauth/oauth-authorizations.ts';
import { URI_LENGTH } from '../../src/domain/oauth/redirect-uris.ts';
import { OAUTH_RESOURCES } from '../../src/domain/people/key-resources.ts';
import {
  apiKeyPermissionSchema,
  keyExpiry,
  maxExpiresAt,
  presentPermission,
} from '../people/api-keys-schema.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { absentIfNull, uuid } from '../http/schema.ts';
import { OAUTH_TAG } from './oauth-metadata.ts';

const text = (description: string, max = URI_LENGTH) => z.string().max(max).meta({ description });

const request = {
  client_id: text('The id of a registered client, or the https URL of its metadata document.'),
  redirect_uri: text('Where the code goes: one of the URIs of the client.'),
  response_type: text('Must be `code`.').optional(),
  state: text('Given back to the client as it is.').optional(),
  code_challenge: text('SHA-256 of the verifier, in base64url (RFC 7636).').optional(),
  code_challenge_method: text('Must be `S256`.').optional(),
  scope: text(
    'Permissions, separated by spaces: what the client needs. Others are ignored. Default: none in particular.',
    5_000,
  ).optional(),
  resource: text(
    'What the key is for (RFC 8707): `/mcp` of the public URL, which is the default, or `/api/v1`. A slash at its end makes no difference. A key for `/mcp` opens nothing else but its own verification, and a key for `/api/v1` does not open `/mcp`.',
  ).optional(),
};

const requestExample = {
  client_id: '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a',
  redirect_uri: 'http://127.0.0.1:51004/callback',
  response_type: 'code',
  state: 'xyz-4711',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'request.read',
  resource: 'https://countersign.example.com/mcp',
};

const ASKING_ERRORS = ['invalid_client_metadata', 'invalid_redirect_uri', 'not_found'] as const;

export const oauthAuthorizationEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'beginOAuthAuthorization',
    method: 'get',
    path: '/oauth/authorize',
    tag: OAUTH_TAG,
    summary: 'Ask a person for a key',
    description:
      'For browsers. Validates the request, and redirects to the consent page. An unknown client and a redirect URI that the client has not registered are refused here: a browser gets the page that says so, a program a 404 or a 400. So is everything else that is wrong, until someone has let the client in. After that it goes back to the client as `error` in its redirect, with `iss`. Parameters that are not listed are ignored, and so are scopes that no key can hold.',
    dialect: 'oauth',
    auth: 'none',
    attempt: 'oauth',
    query: z.object(request),
    success: {
      status: 302,
      description: 'Redirects to the consent page, or back to the client.',
      headers: {
        Location: 'The consent page, or the redirect URI with `error`, `state` and `iss`.',
      },
    },
    errors: [...ASKING_ERRORS, 'rate_limited'],
    handler: async ({ query, client, signal, isPage }, context) => {
      const asking = { caller: client, signal, isPage };
      return { headers: { Location: await beginAuthorization(context, query, asking) } };
    },
  }),
  defineEndpoint({
    operationId: 'previewOAuthAuthorization',
    method: 'post',
    path: '/api/v1/oauth_authorizations/preview',
    tag: OAUTH_TAG,
    summary: 'See what a client asks for',
    description:
      'For the consent page. The whole request is validated first, so that nothing is shown of one that could not be granted.',
    auth: 'session',
    body: z.strictObject(request),
    requestExample,
    success: {
      status: 200,
      description: 'The client, and what its key could do.',
      body: z
        .strictObject({
          client: z
            .strictObject({
              id: uuid('The client.'),
              name: z.string().meta({ description: 'What it calls itself. Nothing checks it.' }),
              client_uri: z.string().optional().meta({ description: 'Its home page.' }),
              redirect_uri: z.string().meta({ description: 'Where the code would go.' }),
              verified_host: z.string().optional().meta({
                description:
                  'The host of its metadata document, which the service read there. Absent for a client that registered itself: no one has checked who it is.',
              }),
              resembles: z.string().optional().meta({
                description:
                  'A known name that its name looks like, such as that of a vendor, while `verified_host` is none of theirs.',
              }),
            })
            .meta({ description: 'Who asks.' }),
          resource: z.enum(OAUTH_RESOURCES).meta({
            description: 'What the key would open: the MCP endpoint alone, or the whole API.',
          }),
          requested_permissions: z
            .array(apiKeyPermissionSchema)
            .meta({ description: 'What the client says it needs; empty when it says nothing.' }),
          bearable_permissions: z
            .array(apiKeyPermissionSchema)
            .meta({ description: 'What you hold and a key can carry.' }),
          scoping_enabled: z.boolean().meta({
            description: 'Whether the key can be scoped to chosen permissions.',
          }),
          personal_api_keys_allowed: z
            .boolean()
            .meta({ description: 'Whether the organization allows personal keys.' }),
          max_expires_at: maxExpiresAt(),
        })
        .meta({ id: 'OAuthAuthorizationPreview', description: 'What a client asks for.' }),
      example: {
        client: {
          id: '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a',
          name: 'Desk assistant',
          redirect_uri: 'http://127.0.0.1:51004/callback',
        },
        resource: 'mcp',
        requested_permissions: [presentPermission(permissionEntry('request.read'))],
        bearable_permissions: [presentPermission(permissionEntry('request.read'))],
        scoping_enabled: false,
        personal_api_keys_allowed: true,
      },
    },
    errors: ASKING_ERRORS,
    handler: async ({ principal, body, client: caller, signal }, context) => {
      const asked = { sent: body, caller, signal };
      const { client, ...preview } = await previewAuthorization(context, principal, asked);
      return {
        body: {
          client: {
            id: client.id,
            name: client.name,
            ...(client.clientUri !== undefined && { client_uri: client.clientUri }),
            redirect_uri: body.redirect_uri,
            ...(preview.verifiedHost !== undefined && { verified_host: preview.verifiedHost }),
            ...(preview.resembles !== undefined && { resembles: preview.resembles }),
          },
          resource: preview.resource,
          requested_permissions: preview.requested.map(presentPermission),
          bearable_permissions: preview.bearable.map(presentPermission),
          scoping_enabled: preview.scopingEnabled,
          personal_api_keys_allowed: preview.personalApiKeysAllowed,
          max_expires_at: preview.latestExpiry,
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'decideOAuthAuthorization',
    method: 'post',
    path: '/api/v1/oauth_authorizations',
    tag: OAUTH_TAG,
    summary: 'Let a client in, or decline',
    description:
      'Approval creates a personal API key that is named after the client, under the rules of `POST /api/v1/me/api_keys`. The client exchanges the code in `redirect_url` for its token within 60 seconds; otherwise the key is revoked. Without a refresh the key expires after 30 days, and each refresh moves that on, up to `expires_at`.',
    auth: 'session',
    permission: 'api_key.issue',
    body: z.strictObject({
      ...request,
      approve: z.boolean().meta({ description: 'Whether the client gets a key.' }),
      permissions: absentIfNull(z.array(z.string()).max(permissions.length)).meta({
        description:
          'Scopes the key to these permissions; at least one, and each must be held by the caller. Null means absent: everything that the member holds. Only in the hosted edition.',
      }),
      expires_at: keyExpiry(),
    }),
    requestExample: { ...requestExample, approve: true },
    success: {
      status: 200,
      description: 'Where the browser goes: back to the client.',
      body: z.strictObject({
        redirect_url: z.string().meta({
          description:
            'The redirect URI with `code`, or with `error=access_denied`; with `state` and `iss`.',
        }),
      }),
      example: {
        redirect_url:
          'http://127.0.0.1:51004/callback?code=wha_0199a3f8-0c3e-7d51-8b2f-6a7c8d9e0f1a_secret&state=xyz-4711&iss=https%3A%2F%2Fcountersign.example.com',
      },
    },
    errors: [
      ...ASKING_ERRORS,
      'api_keys_disabled',
      'api_key_scoping_unavailable',
      'grant_exceeds_own',
      'mfa_required',
      'reauthentication_required',
    ],
    handler: async ({ principal, body, client, signal }, context) => {
      const { approve, permissions: chosen, expires_at: expiresAt, ...sent } = body;
      const redirectUrl = await decideAuthorization(context, principal, {
        sent,
        approve,
        permissions: chosen,
        expiresAt,
        caller: client,
        signal,
      });
      return { body: { redirect_url: redirectUrl } };
    },
  }),
];
