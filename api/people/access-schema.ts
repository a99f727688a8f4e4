/** Schemas of what people may do in the end, and of what a change of access would do. */
import { z } from 'zod';
import type { PolicyTerms } from '../../src/domain/people/permission-policies.ts';
import { isPermission } from '../../src/domain/people/permissions.ts';
import type { AccessEffect, PreviewedChange } from '../../src/services/people/access-preview.ts';
import type { EffectiveAccess } from '../../src/services/people/effective-access.ts';
import { present } from '../http/present.ts';
import { uuid } from '../http/schema.ts';
import { permissionKey, scopeKind } from './grants-schema.ts';
import { policyTermsFields, readTerms, resourceSchema } from './permission-policies-schema.ts';

const termsFields = {
  scope_kind: scopeKind(),
  resource_ids: z
    .array(z.string())
    .meta({ description: 'The team ids or agent slugs; none at organization scope.' }),
  permissions: z
    .array(permissionKey())
    .meta({ description: 'The permissions. Empty for ownership, which carries every permission.' }),
  is_owner: z.boolean().meta({ description: 'True for ownership of the organization.' }),
};

const termsSchema = z
  .strictObject(termsFields)
  .meta({ id: 'AccessTerms', description: 'Permissions at one scope, or ownership.' });

const presentTerms = ({ permissions, ...terms }: PolicyTerms) =>
  present(termsSchema, { ...terms, permissions: permissions.filter(isPermission) });

const resources = () =>
  z.array(resourceSchema).meta({
    description: 'The agents and teams that the terms name, with their names; archived ones too.',
  });

const sourceSchema = z
  .strictObject({
    policy_id: uuid('The permission policy.'),
    is_owner: z.boolean().meta({ description: 'True when the policy is ownership.' }),
    team_id: z.uuid().optional().meta({
      description: 'The team through which it reaches the member. Absent for their own policy.',
    }),
    team_name: z.string().optional().meta({ description: 'The name of that team.' }),
  })
  .meta({ id: 'RightSource', description: 'A permission policy that gives a right.' });

const rightSchema = z
  .strictObject({
    ...termsFields,
    sources: z.array(sourceSchema).meta({
      description: 'All policies that give it. The right ends when none of them is left.',
    }),
  })
  .meta({ id: 'EffectiveRight', description: 'What a member may do at one scope, and why.' });

export const accessSchema = z
  .strictObject({
    name: z.string().meta({ description: 'The name of the member.' }),
    active: z.boolean().meta({
      description: 'False for a suspended or removed member, who can use none of the rights.',
    }),
    rights: z.array(rightSchema).meta({
      description:
        'All rights, ownership first. A right at agents or teams is left out where the member has it in the whole organization.',
    }),
    resources: resources(),
  })
  .meta({ id: 'EffectiveAccess', description: 'What a member may do in the end.' });

export const accessExample = {
  name: 'Ada Reyes',
  active: true,
  rights: [
    {
      scope_kind: 'agent',
      resource_ids: ['support-bot'],
      permissions: ['request.decide'],
      is_owner: false,
      sources: [
        {
          policy_id: '0198f3a2-7a00-7b1c-9d2e-3f4a5b6c7d8e',
          is_owner: false,
          team_id: '0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f',
          team_name: 'Refund desk',
        },
      ],
    },
  ],
  resources: [{ id: 'support-bot', name: 'Support bot', kind: 'agent' }],
};

export const presentAccess = (access: EffectiveAccess) =>
  present(accessSchema, {
    ...access,
    rights: access.rights.map(({ terms, sources }) => ({
      ...presentTerms(terms),
      sources: sources.map((source) => present(sourceSchema, source)),
    })),
  });

const policy = () =>
  z.strictObject(policyTermsFields).meta({ description: 'The terms that would be saved.' });
const policyId = () => uuid('The policy of the holder.');
const holder = () =>
  z
    .strictObject({
      kind: z.enum(['member', 'team', 'api_key']).meta({
        description: 'A member, a team, or an organization key (hosted edition only).',
      }),
      id: uuid('Its id.'),
    })
    .meta({ description: 'Whose policy it is.' });
const change = <Kind extends string>(kind: Kind, description: string) =>
  z.literal(kind).meta({ description });

export const changeSchema = z.discriminatedUnion('change', [
  z.strictObject({
    change: change('create_policy', 'A new permission policy.'),
    holder: holder(),
    policy: policy(),
  }),
  z.strictObject({
    change: change('replace_policy', 'Other terms for a permission policy.'),
    holder: holder(),
    policy_id: policyId(),
    policy: policy(),
  }),
  z.strictObject({
    change: change('delete_policy', 'The end of a permission policy.'),
    holder: holder(),
    policy_id: policyId(),
  }),
  z.strictObject({
    change: change('set_team_members', 'Other hand-added members of a team.'),
    team_id: uuid('The team.'),
    membership_ids: z.array(uuid('A member.')).max(1_000).meta({
      description: 'All hand-added members, as `PUT /api/v1/teams/{id}/members` takes them.',
    }),
  }),
  z.strictObject({
    change: change('archive_team', 'The end of a team.'),
    team_id: uuid('The team.'),
  }),
  z.strictObject({
    change: change('suspend_member', 'Suspending or removing a member: neither may do anything.'),
    membership_id: uuid('The member.'),
  }),
  z.strictObject({
    change: change('reactivate_member', 'The end of a suspension.'),
    membership_id: uuid('The member.'),
  }),
]);

const HOLDERS = {
  member: 'membership',
  team: 'team',
  api_key: 'organization_api_key',
} as const;

/** The change in the form of the use case. */
export function readChange(body: z.output<typeof changeSchema>): PreviewedChange {
  switch (body.change) {
    case 'create_policy':
    case 'replace_policy':
    case 'delete_policy': {
      const holder = { kind: HOLDERS[body.holder.kind], id: body.holder.id };
      if (body.change === 'delete_policy')
        return { kind: body.change, holder, policyId: body.policy_id };
      const terms = readTerms(body.policy);
      return body.change === 'create_policy'
        ? { kind: body.change, holder, terms }
        : { kind: body.change, holder, policyId: body.policy_id, terms };
    }
    case 'set_team_members':
      return { kind: body.change, teamId: body.team_id, membershipIds: body.membership_ids };
    case 'archive_team':
      return { kind: body.change, teamId: body.team_id };
    case 'suspend_member':
    case 'reactivate_member':
      return {
        kind: 'set_member_active',
        membershipId: body.membership_id,
        isActive: body.change === 'reactivate_member',
      };
  }
}

export const changeExample = {
  change: 'delete_policy',
  holder: { kind: 'team', id: '0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f' },
  policy_id: '0198f3a2-7a00-7b1c-9d2e-3f4a5b6c7d8e',
};

const terms = (description: string) => z.array(termsSchema).meta({ description });

const holderEffectSchema = z
  .strictObject({
    kind: z.enum(['member', 'api_key']).meta({ description: 'What it is.' }),
    id: uuid('The membership, or the organization key.'),
    name: z.string().meta({ description: 'Its name.' }),
    gains: terms('What it may do only afterwards.'),
    losses: terms('What it may do only before.'),
    keeps: terms('Of the permissions among the losses: where it keeps them.'),
  })
  .meta({ id: 'AccessDifference', description: 'What a change means for one member or key.' });

const deciderSchema = z
  .strictObject({
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Their name.' }),
    is_owner: z.boolean().meta({ description: 'True for an owner of the organization.' }),
  })
  .meta({ id: 'AgentDecider', description: 'Someone who may decide requests of an agent.' });

const agentEffectSchema = z
  .strictObject({
    agent_slug: z.string().meta({ description: 'The agent.' }),
    agent_name: z.string().meta({ description: 'Its name.' }),
    deciders_before: z.int().meta({ description: 'How many people may decide its requests now.' }),
    deciders_after: z.int().meta({ description: 'How many may decide them afterwards.' }),
    owners_after: z.int().meta({ description: 'How many of those own the organization.' }),
    deciders: z.array(deciderSchema).meta({
      description: 'Up to five of those who may decide afterwards, owners last, by name.',
    }),
  })
  .meta({
    id: 'AgentDeciders',
    description: 'Who may decide requests of an agent after a change.',
  });

export const effectSchema = z
  .strictObject({
    holders: z.array(holderEffectSchema).meta({
      description: 'The members and keys that gain or lose something: the first 50, by name.',
    }),
    holder_count: z.int().meta({ description: 'How many there are in all.' }),
    agents: z.array(agentEffectSchema).meta({
      description:
        'The agents for which other people may decide afterwards: the first 20, by name.',
    }),
    agent_count: z
      .int()
      .meta({ description: 'How many there are in all, among the first 500 live agents by name.' }),
    resources: resources(),
  })
  .meta({ id: 'AccessEffect', description: 'What a change of access would do.' });

export const effectExample = {
  holders: [
    {
      kind: 'member',
      id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
      name: 'Ada Reyes',
      gains: [],
      losses: [
        {
          scope_kind: 'agent',
          resource_ids: ['support-bot'],
          permissions: ['request.decide'],
          is_owner: false,
        },
      ],
      keeps: [],
    },
  ],
  holder_count: 1,
  agents: [
    {
      agent_slug: 'support-bot',
      agent_name: 'Support bot',
      deciders_before: 2,
      deciders_after: 1,
      owners_after: 1,
      deciders: [
        {
          membership_id: '0198f3a2-5b21-7a10-8c44-2b3c4d5e6f70',
          display_name: 'Grace',
          is_owner: true,
        },
      ],
    },
  ],
  agent_count: 1,
  resources: [{ id: 'support-bot', name: 'Support bot', kind: 'agent' }],
};

export const presentEffect = (effect: AccessEffect) =>
  present(effectSchema, {
    ...effect,
    holders: effect.holders.map(({ gains, losses, keeps, ...holder }) => ({
      ...holder,
      gains: gains.map(presentTerms),
      losses: losses.map(presentTerms),
      keeps: keeps.map(presentTerms),
    })),
    agents: effect.agents.map(({ slug, name, before, after, deciders, ...agent }) =>
      present(agentEffectSchema, {
        ...agent,
        deciders: deciders.map((each) => present(deciderSchema, each)),
        agentSlug: slug,
        agentName: name,
        decidersBefore: before,
        decidersAfter: after,
      }),
    ),
  });
