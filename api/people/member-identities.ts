/** Who members are at the identity provider. */
import { z } from 'zod';
import {
  listMemberIdentities,
  unlinkMemberIdentities,
} from '../../src/services/sign-in/member-identities.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { timestamp, uuid } from '../http/schema.ts';

const TAG = 'Members';
const PATH = '/api/v1/members/{id}/identities';

const memberParams = z.strictObject({ id: uuid('Id of the membership.') });

const identitySchema = z
  .strictObject({
    issuer: z.string().meta({ description: 'The provider, as it names itself.' }),
    subject: z.string().meta({
      description: 'The id of the person at the provider, which never gives it to anyone else.',
    }),
    linked_at: timestamp('When the person first signed in with it.'),
  })
  .meta({ id: 'MemberIdentity', description: 'Who a member is at an identity provider.' });

export const memberIdentityEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listMemberIdentities',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'List the identities of a member',
    description:
      'With an identity, the member signs in through the provider whatever email it reports. Oldest first.',
    auth: 'member',
    permission: 'membership.read',
    params: memberParams,
    success: {
      status: 200,
      description: 'The identities. Usually one, or none.',
      body: z.strictObject({
        identities: z.array(identitySchema).meta({ description: 'All identities of the member.' }),
      }),
      example: {
        identities: [
          {
            issuer: 'https://login.example.com',
            subject: '00u1a2b3c4',
            linked_at: '2026-03-02T09:15:00.000Z',
          },
        ],
      },
    },
    errors: [],
    handler: async ({ principal, params }, context) => ({
      body: {
        identities: (await listMemberIdentities(context, principal, params.id)).map((identity) =>
          present(identitySchema, identity),
        ),
      },
    }),
  }),
  defineEndpoint({
    operationId: 'unlinkMemberIdentities',
    method: 'delete',
    path: PATH,
    tag: TAG,
    summary: 'Unlink the identities of a member',
    description:
      'For an owner with a recent authentication, when the provider gave the person a new account. ' +
      'It ends the sessions of the member. The next person who signs in with the member’s verified email becomes this member: ' +
      'first make sure that the address is still theirs. The former identity can no longer sign in, unless its email is the member’s. ' +
      'API keys stay valid. Without an identity nothing changes.\n\n' +
      'Refused with `owner_required`, then with `mfa_required` or `reauthentication_required`.',
    auth: 'session',
    permission: 'membership.write',
    params: memberParams,
    success: { status: 204, description: 'The member has no identity at the provider now.' },
    errors: ['owner_required', 'mfa_required', 'reauthentication_required'],
    handler: async ({ principal, params }, context) => {
      await unlinkMemberIdentities(context, principal, params.id);
      return {};
    },
  }),
];
