/** Whom a level reaches, out of those who may decide the request at that moment. */
import type { Asked, LevelEntry } from './walk.ts';

/** A team as it is now: its members, whoever may decide or not, and the revision of its active policy if there is one. */
export interface TeamRoster {
  readonly members: readonly { readonly membershipId: string; readonly displayName: string }[];
  readonly policyRevisionId?: string;
}

export interface Reachable {
  /** Active memberships that may decide for the agent, longest-standing first. */
  readonly deciders: readonly string[];
  /** At least the teams the level targets, or the team whose policy the level is part of; one that is gone has no members. */
  readonly teams: ReadonlyMap<string, TeamRoster>;
}

/**
 * In the order of the targets, each person once. A team with an active policy goes by it, another is asked as a whole; of
 * a team in which nobody may decide nobody is asked, whatever its policy waits for.
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
