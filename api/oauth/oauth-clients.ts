/** Clients register themselves (RFC 7591). */
import { z } from 'zod';
import { GRANT_TYPES, RESPONSE_TYPES } from '../../src/domain/oauth/clients.ts';
import { registerClient } from '../../src/services/oauth/oauth-clients.ts';
import { defineEndpoint, BODY_BYTES, type Endpoint } from '../http/endpoint.ts';
import { uuid } from '../http/schema.ts';
import { OAUTH_TAG } from './oauth-metadata.ts';

const text = (description: string) => z.string().meta({ description });
const list = (description: string) => z.array(z.string()).meta({ description });

export const oauthClientEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'registerOAuthClient',
    method: 'post',
    path: '/oauth/register',
    tag: OAUTH_TAG,
    summary: 'Register a client',
    description:
      'As RFC 7591 defines it, without a credential, at most 20 times a minute from one network. Pages of other sites count by their origin instead, and all of them 100 times. The client gets no secret, whatever it asks for. Members that are not listed are ignored. A client that no one approves is deleted after 12 hours. At most 10,000 of these are kept.\n\n' +
      'Nothing that a registered client says about itself is checked: the consent page shows people where their code would go. A client that has a website uses the https URL of its metadata document as its id instead, and needs no registration.',
    dialect: 'oauth',
    auth: 'none',
    anyOrigin: true,
    bodyLimit: BODY_BYTES.registration,
    body: z.looseObject({
      redirect_uris: z
        .unknown()
        .optional()
        .meta({
          description:
            'One to ten URIs, of at most 2,000 characters, without a fragment: https, http of 127.0.0.1, [::1] or localhost, or a scheme of an app. Requests name one of them exactly; the port of a URI of the own machine is free.',
          override: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 },
        }),
      client_name: z
        .unknown()
        .optional()
        .meta({
          description:
            'The name that people see, at most 100 characters. Default: the host of the first URI. Required if that host reads as our name, or says that it is verified or official.',
          override: { type: 'string', maxLength: 100 },
        }),
      client_uri: z
        .unknown()
        .optional()
        .meta({
          description: 'The home page of the client.',
          override: { type: 'string', format: 'uri' },
        }),
      grant_types: z
        .unknown()
        .optional()
        .meta({
          description: 'Must include `authorization_code` where it is given.',
          override: { type: 'array', items: { type: 'string' } },
        }),
      response_types: z
        .unknown()
        .optional()
        .meta({
          description: 'Must include `code` where it is given.',
          override: { type: 'array', items: { type: 'string' } },
        }),
    }),
    requestExample: {
      client_name: 'Desk assistant',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
    success: {
      status: 201,
      description: 'The client as it is registered.',
      body: z
        .strictObject({
          client_id: uuid('The id of the client.'),
          client_id_issued_at: z
            .int()
            .meta({ description: 'When it was registered, in seconds since 1970.' }),
          client_name: text('What people see.'),
          client_uri: text('Its home page. Absent if it named none.').optional(),
          redirect_uris: list('Where its codes may go.'),
          token_endpoint_auth_method: z.literal('none').meta({ description: 'It has no secret.' }),
          grant_types: list('What it may exchange.'),
          response_types: list('What it may ask for.'),
        })
        .meta({ id: 'OAuthClient', description: 'A registered client.' }),
      example: {
        client_id: '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a',
        client_id_issued_at: 1772440260,
        client_name: 'Desk assistant',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: GRANT_TYPES,
        response_types: RESPONSE_TYPES,
      },
    },
    errors: ['invalid_client_metadata', 'invalid_redirect_uri', 'rate_limited'],
    handler: async ({ body, client }, context) => {
      const { id, createdAt, name, clientUri, redirectUris } = await registerClient(
        context,
        body,
        client,
      );
      return {
        body: {
          client_id: id,
          client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
          client_name: name,
          ...(clientUri !== undefined && { client_uri: clientUri }),
          redirect_uris: redirectUris,
          token_endpoint_auth_method: 'none',
          grant_types: GRANT_TYPES,
          response_types: RESPONSE_TYPES,
        },
      };
    },
  }),
];
