/** The people a level reaches, out of those who may decide the request at that moment. */
import type { Asked, LevelEntry } from './walk.ts';

/** A team as it is now: all its members, and the revision of its active policy if it has one. */
export interface TeamMembers {
  readonly members: readonly { readonly membershipId: string }[];
  readonly policyRevisionId?: string;
}

/** The same, with names. */
export interface TeamRoster extends TeamMembers {
  readonly members: readonly { readonly membershipId: string; readonly displayName: string }[];
}

export interface Reachable {
  /** Active memberships that may decide for the agent, oldest first. */
  readonly deciders: readonly string[];
  /**
   * At least the teams that the level targets, or the team whose policy contains the level. A
   * missing team has no members.
   */
  readonly teams: ReadonlyMap<string, TeamMembers>;
}

/**
 * In the order of the targets, each person once. A team with an active policy follows it; a team
 * without one is asked as a whole. A team without anyone who may decide is not entered, whatever
 * its policy would wait for.
 */
export function recipients({ level, team }: LevelEntry, { deciders, teams }: Reachable): Asked {
  const members = (teamId: string): readonly string[] =>
    (teams.get(teamId)?.members ?? []).map(({ membershipId }) => membershipId);
  const mayAsk = team ? intersection(deciders, members(team.teamId)) : deciders;
  const byPolicy: Asked['teams'][number][] = [];
  const people = level.targets.flatMap((target) => {
    if (target.type === 'broadcast') return mayAsk;
    if (target.type === 'user') return intersection([target.id], mayAsk);
    const people = intersection(members(target.id), mayAsk);
    const revisionId = teams.get(target.id)?.policyRevisionId;
    if (revisionId === undefined || people.length === 0) return people;
    byPolicy.push({ teamId: target.id, revisionId });
    return [];
  });
  return { membershipIds: [...new Set(people)], teams: byPolicy };
}

function intersection(ids: readonly string[], among: readonly string[]): readonly string[] {
  const set = new Set(among);
  return ids.filter((id) => set.has(id));
}
