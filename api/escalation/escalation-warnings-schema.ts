/** Warnings about the people that an escalation document asks. */
import { z } from 'zod';
import type { EscalationWarning } from '../../src/services/escalation/escalation-warnings.ts';
import { uuid } from '../http/schema.ts';

const memberWarning = z
  .strictObject({
    code: z.enum(['user_cannot_decide', 'user_has_no_channel']).meta({
      description:
        '`user_cannot_decide`: a targeted member is suspended, or has `request.decide` nowhere. `user_has_no_channel`: a targeted member, ' +
        'or a member of a targeted team, has turned every notification channel off, so the walk does not ask them.',
    }),
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Name of the member.' }),
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

export const warningsSchema = () =>
  z.array(z.union([memberWarning, teamWarning])).meta({
    description:
      'Advice, computed when a revision is created or activated. Empty on reads. Warnings never refuse anything.',
  });

export function presentWarning(warning: EscalationWarning) {
  if ('membershipId' in warning) {
    return {
      code: warning.code,
      membership_id: warning.membershipId,
      display_name: warning.displayName,
    };
  }
  const { code, teamId, teamName, count, memberCount } = warning;
  return { code, team_id: teamId, team_name: teamName, count, member_count: memberCount };
}
