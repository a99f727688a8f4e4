/** What creating a revision of an escalation document warns of and refuses. */
import { z } from 'zod';
import type { EscalationWarning } from '../../src/services/escalation/escalation-warnings.ts';
import { uuid } from '../http/schema.ts';

const memberWarning = z
  .strictObject({
    code: z.literal('user_cannot_decide').meta({
      description: 'A targeted member is suspended or lacks `request.decide` everywhere.',
    }),
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Name of the member.' }),
  })
  .meta({ id: 'MemberWarning', description: 'About a member the document asks by name.' });

const teamWarning = z
  .strictObject({
    code: z.enum(['team_members_cannot_decide', 'empty_team']).meta({
      description:
        'Some members of the team are suspended or lack `request.decide` everywhere; or the team has none.',
    }),
    team_id: uuid('The team.'),
    team_name: z.string().meta({ description: 'Name of the team.' }),
    count: z.int().meta({ description: 'How many of its members cannot decide.' }),
    member_count: z.int().meta({ description: 'How many members it has.' }),
  })
  .meta({ id: 'TeamWarning', description: 'About a team the document asks.' });

export const warningsSchema = () =>
  z.array(z.union([memberWarning, teamWarning])).meta({
    description:
      'Advice; nothing is refused because of it. Computed when a revision is created or activated; empty on plain reads.',
  });

export function presentWarning(warning: EscalationWarning) {
  if (warning.code === 'user_cannot_decide') {
    return {
      code: warning.code,
      membership_id: warning.membershipId,
      display_name: warning.displayName,
    };
  }
  const { code, teamId, teamName, count, memberCount } = warning;
  return { code, team_id: teamId, team_name: teamName, count, member_count: memberCount };
}

/** What a document that is not a document of the grammar can answer. */
export const DOCUMENT_ERRORS = ['unknown_node_type'] as const;
