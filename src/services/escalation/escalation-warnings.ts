/**
 * Advice about the people a revision asks, given when it is created or activated. It never refuses
 * anything.
 */
import { findNotReached } from '../../data/notifications/channel-states.ts';
import type { TeamReach } from '../../domain/requests/deciders.ts';
import {
  findNonDeciders,
  findTeamReach,
  findWithoutChannel,
} from '../../data/requests/deciders.ts';
import { levelsTooShort } from '../../domain/escalation/policy-length.ts';
import type { EscalationDocument, TeamPolicyDocument } from '../../domain/escalation/types.ts';
import type { Db } from '../../platform/postgres.ts';

export interface MemberWarning {
  readonly code: 'user_cannot_decide' | 'user_has_no_channel' | 'target_not_reached';
  readonly membershipId: string;
  readonly displayName: string;
  /** They can decide for other agents than this one of a preview. */
  readonly agent?: { readonly slug: string; readonly name: string };
}

/** `count` of the `memberCount` members cannot decide. */
export interface TeamWarning {
  readonly code: 'team_members_cannot_decide' | 'empty_team';
  readonly teamId: string;
  readonly teamName: string;
  readonly count: number;
  readonly memberCount: number;
}

/** The first level of a previewed path comes at `at`, when the request has expired. */
export interface DeadlineWarning {
  readonly code: 'first_level_after_deadline';
  readonly nodeId: string;
  readonly at: Date;
}

/** The policy of a team begins its last level when the path's level `nodeId` is over. */
export interface LongPolicyWarning {
  readonly code: 'team_policy_longer_than_level';
  /** Absent for a document without a key. */
  readonly pathKey?: string;
  readonly nodeId: string;
  readonly teamId: string;
  readonly teamName: string;
}

export type EscalationWarning = MemberWarning | TeamWarning | DeadlineWarning | LongPolicyWarning;

/** Members first, then teams, each by name. */
export async function findWarnings(
  db: Db,
  organizationId: string,
  asked: { readonly membershipIds: readonly string[]; readonly teamIds: readonly string[] },
): Promise<readonly EscalationWarning[]> {
  const members = await findNonDeciders(db, organizationId, asked.membershipIds);
  const silent = await findWithoutChannel(db, organizationId, asked);
  const lost = await findNotReached(db, organizationId, asked);
  const teams = await findTeamReach(db, organizationId, asked.teamIds);
  return [
    ...members.map((member): MemberWarning => ({ code: 'user_cannot_decide', ...member })),
    ...silent.map((member): MemberWarning => ({ code: 'user_has_no_channel', ...member })),
    ...lost.map((member): MemberWarning => ({ code: 'target_not_reached', ...member })),
    ...teams
      .filter(({ memberCount, nonDeciders }) => memberCount === 0 || nonDeciders > 0)
      .map(teamWarning),
  ];
}

export interface KnownPolicies {
  /** The active policies of teams that the path asks, by team id. */
  readonly policies: ReadonlyMap<string, TeamPolicyDocument>;
  /** Names of these teams. */
  readonly names: ReadonlyMap<string, string>;
  readonly pathKey?: string;
}

/** The levels of a path that are too short for a policy which runs inside them. */
export function tooLongPolicies(
  path: EscalationDocument,
  { policies, names, pathKey }: KnownPolicies,
): readonly LongPolicyWarning[] {
  return [...policies].flatMap(([teamId, policy]) =>
    levelsTooShort(path, { teamId, policy }).map(({ id: nodeId }): LongPolicyWarning => ({
      code: 'team_policy_longer_than_level',
      ...(pathKey !== undefined && { pathKey }),
      nodeId,
      teamId,
      teamName: names.get(teamId) ?? '',
    })),
  );
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
