/** What clients of OAuth find out by themselves (RFC 8414, RFC 9728). */
import { z } from 'zod';
import {
  isServedBy,
  mayHold,
  permissions,
  type Edition,
} from '../../src/domain/people/permissions.ts';
import { GRANT_TYPES, RESPONSE_TYPES } from '../../src/domain/oauth/clients.ts';
import { issuerOf, resourceUrl } from '../../src/domain/people/key-resources.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

export const OAUTH_TAG = 'OAuth';

const url = (description: string) => z.string().meta({ description });
const words = (description: string) => z.array(z.string()).meta({ description });

const scopesOf = (edition: Edition): string[] =>
  permissions
    .map(({ key }) => key)
    .filter((key) => mayHold('api_key', key) && isServedBy(edition, key));

const PUBLIC = 'https://countersign.example.com';

export const oauthMetadataEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getAuthorizationServerMetadata',
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    tag: OAUTH_TAG,
    summary: 'Get the metadata of the authorization server',
    description:
      'As RFC 8414 defines it. Every address begins with the public URL of the deployment.',
    auth: 'none',
    anyOrigin: true,
    success: {
      status: 200,
      description: 'The metadata.',
      body: z
        .strictObject({
          issuer: url('The public URL. Redirects to clients carry it as `iss` (RFC 9207).'),
          authorization_endpoint: url('Where a client sends the browser of a person.'),
          token_endpoint: url('Where a client exchanges codes and refresh tokens.'),
          registration_endpoint: url('Where a client registers itself.'),
          revocation_endpoint: url('Where a client gives its tokens back.'),
          response_types_supported: words('`code` alone.'),
          response_modes_supported: words('`query` alone.'),
          grant_types_supported: words('Codes and refresh tokens.'),
          code_challenge_methods_supported: words('`S256` alone. Every request needs it.'),
          token_endpoint_auth_methods_supported: words('`none` alone: clients have no secret.'),
          revocation_endpoint_auth_methods_supported: words('`none` alone.'),
          scopes_supported: words('The permissions that a key can hold.'),
          authorization_response_iss_parameter_supported: z
            .literal(true)
            .meta({ description: 'Redirects carry `iss`.' }),
          client_id_metadata_document_supported: z.literal(true).meta({
            description: 'A client id may be the https URL of the metadata document of the client.',
          }),
          resource_parameter_supported: z
            .literal(true)
            .meta({ description: 'Requests may name their resource (RFC 8707).' }),
          service_documentation: url('The description of the API.'),
        })
        .meta({ id: 'AuthorizationServerMetadata', description: 'Metadata of RFC 8414.' }),
      example: authorizationServer(PUBLIC, ['request.read']),
    },
    errors: [],
    handler: (_call, { publicUrl, edition }) =>
      Promise.resolve({ body: authorizationServer(publicUrl(), scopesOf(edition)) }),
  }),
  defineEndpoint({
    operationId: 'getMcpResourceMetadata',
    method: 'get',
    path: '/.well-known/oauth-protected-resource/mcp',
    tag: OAUTH_TAG,
    summary: 'Get the metadata of the MCP endpoint as a protected resource',
    description:
      'As RFC 9728 defines it: MCP clients learn here which authorization server to ask.',
    auth: 'none',
    anyOrigin: true,
    success: {
      status: 200,
      description: 'The metadata.',
      body: z
        .strictObject({
          resource: url('The MCP endpoint, as the `resource` of requests.'),
          authorization_servers: words('The issuer: this deployment.'),
          bearer_methods_supported: words('`header` alone.'),
          resource_name: z.string().meta({ description: 'For people.' }),
        })
        .meta({ id: 'ProtectedResourceMetadata', description: 'Metadata of RFC 9728.' }),
      example: mcpResource(PUBLIC),
    },
    errors: [],
    handler: (_call, { publicUrl }) => Promise.resolve({ body: mcpResource(publicUrl()) }),
  }),
];

function authorizationServer(publicUrl: string, scopes: readonly string[]) {
  const issuer = issuerOf(publicUrl);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    response_types_supported: RESPONSE_TYPES,
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [...scopes],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    resource_parameter_supported: true,
    service_documentation: `${issuer}/api/docs`,
  } as const;
}

/** Names no scopes: MCP clients ask for all that they find here, whatever they need. */
function mcpResource(publicUrl: string) {
  return {
    resource: resourceUrl(publicUrl, 'mcp'),
    authorization_servers: [issuerOf(publicUrl)],
    bearer_methods_supported: ['header'],
    resource_name: 'Countersign',
  };
}
