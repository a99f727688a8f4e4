/** Warnings about the people that an escalation document asks. */
import { z } from 'zod';
import type { EscalationWarning } from '../../src/services/escalation/escalation-warnings.ts';
import { slug, timestamp, uuid } from '../http/schema.ts';

const memberWarning = z
  .strictObject({
    code: z.enum(['user_cannot_decide', 'user_has_no_channel', 'target_not_reached']).meta({
      description:
        '`user_cannot_decide`: a targeted member is suspended, or has `request.decide` nowhere. `user_has_no_channel`: a targeted member, ' +
        'or a member of a targeted team, has turned every notification channel off, so the walk does not ask them. `target_not_reached`: the last message over each of their ' +
        'channels failed for good. They are asked again, but a level that reaches no one is left at once.',
    }),
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Name of the member.' }),
    agent_slug: slug(
      'The member can decide, but not for this agent. Only in a preview with `agent`.',
    ).optional(),
    agent_name: z.string().optional().meta({ description: 'Name of that agent, as given.' }),
  })
  .meta({ id: 'MemberWarning', description: 'About a member that the document asks.' });

const teamWarning = z
  .strictObject({
    code: z.enum(['team_members_cannot_decide', 'empty_team']).meta({
      description:
        '`team_members_cannot_decide`: some members are suspended, or have `request.decide` nowhere. `empty_team`: the team has no members.',
    }),
    team_id: uuid('The team.'),
    team_name: z.string().meta({ description: 'Name of the team.' }),
    count: z.int().meta({ description: 'How many of its members cannot decide.' }),
    member_count: z.int().meta({ description: 'How many members it has.' }),
  })
  .meta({ id: 'TeamWarning', description: 'About a team that the document asks.' });

const longPolicyWarning = z
  .strictObject({
    code: z.literal('team_policy_longer_than_level').meta({
      description:
        'The team’s escalation policy begins its last level only after the level of the path has ended. So its last steps do not happen. ' +
        'The longest branch counts, and waits for working hours do not.',
    }),
    path_key: z.string().optional().meta({
      description: 'The active path with this level. Present when the response is about a policy.',
    }),
    node_id: z.string().meta({ description: 'The level of the path that asks the team.' }),
    team_id: uuid('The team.'),
    team_name: z.string().meta({ description: 'Name of the team.' }),
  })
  .meta({
    id: 'LongPolicyWarning',
    description: 'About a level of a path, and the escalation policy that runs inside it.',
  });

const deadlineWarning = z
  .strictObject({
    code: z.literal('first_level_after_deadline').meta({
      description:
        'No one would be asked before the request expires. Only in a preview with `timeout`.',
    }),
    node_id: z.string().meta({ description: 'The first level that notifies someone.' }),
    at: timestamp('When it would notify them.'),
  })
  .meta({ id: 'DeadlineWarning', description: 'About the deadline of a previewed request.' });

export const warningsSchema = () =>
  z.array(z.union([memberWarning, teamWarning, longPolicyWarning, deadlineWarning])).meta({
    description:
      'Advice, computed when a revision is created or activated. Empty on reads. Warnings never refuse anything.',
  });

export function presentWarning(warning: EscalationWarning) {
  switch (warning.code) {
    case 'user_cannot_decide':
    case 'user_has_no_channel':
    case 'target_not_reached': {
      const { code, membershipId, displayName, agent } = warning;
      return {
        ...{ code, membership_id: membershipId, display_name: displayName },
        ...(agent && { agent_slug: agent.slug, agent_name: agent.name }),
      };
    }
    case 'team_members_cannot_decide':
    case 'empty_team': {
      const { code, teamId, teamName, count, memberCount } = warning;
      return { code, team_id: teamId, team_name: teamName, count, member_count: memberCount };
    }
    case 'team_policy_longer_than_level': {
      const { code, pathKey, nodeId, teamId, teamName } = warning;
      const team = { team_id: teamId, team_name: teamName };
      return {
        code,
        ...(pathKey !== undefined && { path_key: pathKey }),
        node_id: nodeId,
        ...team,
      };
    }
    case 'first_level_after_deadline': {
      const { code, nodeId, at } = warning;
      return { code, node_id: nodeId, at };
    }
  }
}
