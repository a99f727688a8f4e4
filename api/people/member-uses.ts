/** What depends on a member, to be read before they are suspended or removed. */
import { z } from 'zod';
import { getMemberUses, presentUses } from '../../src/services/people/member-uses.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { slug, uuid } from '../http/schema.ts';
import { revisionNumber } from '../revisions.ts';

const pathSchema = z
  .strictObject({
    path_key: slug('Key of the path.'),
    name: z.string().meta({ description: 'Its name.' }),
    revision: revisionNumber().meta({ description: 'Its active revision, which asks the member.' }),
  })
  .meta({ id: 'MemberPathUse', description: 'An escalation path that asks a member by name.' });

const policySchema = z
  .strictObject({
    team_id: uuid('The team.'),
    team_name: z.string().meta({ description: 'Its name.' }),
    revision: revisionNumber().meta({ description: 'Its active revision, which asks the member.' }),
  })
  .meta({
    id: 'MemberTeamPolicyUse',
    description: 'A team whose escalation policy asks a member by name.',
  });

export const memberUseEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMemberUses',
    method: 'get',
    path: '/api/v1/members/{id}/uses',
    tag: 'Members',
    summary: 'List everything that depends on a member',
    description:
      'For those who may suspend and remove members: the active escalation paths and team escalation policies that ask the member by name, ' +
      'as in the details of `membership_in_escalation_path`, and what ends with the membership.',
    auth: 'member',
    permission: 'membership.write',
    params: z.strictObject({ id: uuid('Id of the membership.') }),
    success: {
      status: 200,
      description: 'What depends on the member.',
      body: z.strictObject({
        escalation_paths: z.array(pathSchema).meta({ description: 'By key.' }),
        team_escalation_policies: z
          .array(policySchema)
          .meta({ description: 'By the name of the team.' }),
        live_api_key_count: z
          .int()
          .meta({ description: 'How many personal keys would be revoked with the membership.' }),
      }),
      example: {
        escalation_paths: [{ path_key: 'refunds', name: 'Refunds', revision: 3 }],
        team_escalation_policies: [
          {
            team_id: '0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f',
            team_name: 'Platform on-call',
            revision: 2,
          },
        ],
        live_api_key_count: 1,
      },
    },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => {
      const uses = await getMemberUses(context, principal, id);
      return {
        body: { ...presentUses(uses), live_api_key_count: uses.liveKeyCount },
      };
    },
  }),
];
