/**
 * Advice about the people a revision asks, given when it is created or activated. It never refuses
 * anything.
 */
import type { TeamReach } from '../../domain/requests/deciders.ts';
import {
  findNonDeciders,
  findTeamReach,
  findWithoutChannel,
} from '../../data/requests/deciders.ts';
import type { Db } from '../../platform/postgres.ts';

export interface MemberWarning {
  readonly code: 'user_cannot_decide' | 'user_has_no_channel';
  readonly membershipId: string;
  readonly displayName: string;
}

/** `count` of the `memberCount` members cannot decide. */
export interface TeamWarning {
  readonly code: 'team_members_cannot_decide' | 'empty_team';
  readonly teamId: string;
  readonly teamName: string;
  readonly count: number;
  readonly memberCount: number;
}

export type EscalationWarning = MemberWarning | TeamWarning;

/** Members first, then teams, each by name. */
export async function findWarnings(
  db: Db,
  organizationId: string,
  asked: { readonly membershipIds: readonly string[]; readonly teamIds: readonly string[] },
): Promise<readonly EscalationWarning[]> {
  const members = await findNonDeciders(db, organizationId, asked.membershipIds);
  const silent = await findWithoutChannel(db, organizationId, asked);
  const teams = await findTeamReach(db, organizationId, asked.teamIds);
  return [
    ...members.map((member): MemberWarning => ({ code: 'user_cannot_decide', ...member })),
    ...silent.map((member): MemberWarning => ({ code: 'user_has_no_channel', ...member })),
    ...teams
      .filter(({ memberCount, nonDeciders }) => memberCount === 0 || nonDeciders > 0)
      .map(teamWarning),
  ];
}

function teamWarning({ teamId, teamName, memberCount, nonDeciders }: TeamReach): TeamWarning {
  return {
    code: memberCount === 0 ? 'empty_team' : 'team_members_cannot_decide',
    teamId,
    teamName,
    count: nonDeciders,
    memberCount,
  };
}
