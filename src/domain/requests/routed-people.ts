/** The levels of a request with their people, as a reviewer sees them. */
import type { RoutingLevel } from '../escalation/routing-view.ts';
import { isInside, levelKey, stepKey } from '../escalation/step-keys.ts';
import type { Target } from '../escalation/types.ts';
import type { DeliveryFailure } from '../channels.ts';
import type { Decider } from './deciders.ts';
import type { NotifiedMember, Routing } from './engine/view.ts';

/** `canDecide`: whether they may decide this request now, independent of past notifications. */
export interface RoutedMember {
  readonly membershipId: string;
  readonly displayName: string;
  /** Absent for those that no message reached. */
  readonly notifiedAt?: Date;
  /** Why no message reached them. */
  readonly unreached?: readonly DeliveryFailure[];
  readonly canDecide: boolean;
}

/** `id` and `name` are absent for a broadcast. */
export interface RoutedTarget {
  readonly type: Target['type'];
  readonly id?: string;
  readonly name?: string;
  readonly members: readonly RoutedMember[];
}

/** `unreached`: no message reached anyone there, so the walk continued at once. */
export type RoutedLevel = Omit<RoutingLevel, 'targets' | 'status'> & {
  readonly status: RoutingLevel['status'] | 'unreached';
  readonly targets: readonly RoutedTarget[];
};

export interface RoutedPeople extends Pick<Routing, 'people' | 'notified'> {
  /** Memberships that may decide this request now. */
  readonly mayDecide: ReadonlySet<string>;
  /** Of targets, members of teams and notified people, by membership or team id, longest membership first. */
  readonly names: ReadonlyMap<string, string>;
}

interface LevelPeople {
  readonly level: RoutingLevel;
  /** Longest membership first. */
  readonly notified: readonly NotifiedMember[];
  readonly facts: RoutedPeople;
}

/**
 * A future level lists the people it would notify now. A reached level lists the people it notified
 * and its targets.
 */
export function withPeople(
  levels: readonly RoutingLevel[],
  facts: RoutedPeople,
): readonly RoutedLevel[] {
  const notifiedAt = notifiedByLevel(facts);
  return levels.map((level) => {
    const people = { level, notified: notifiedAt.get(stepKey(level)) ?? [], facts };
    const targets = level.targets.map((target) => withMembers(target, people));
    return { ...withoutNotice(level, people), targets };
  });
}

/** A level that reached none of those it notified has notified no one. */
function withoutNotice(
  level: RoutingLevel,
  { notified }: LevelPeople,
): Omit<RoutedLevel, 'targets'> {
  if (notified.length === 0 || notified.some(({ unreached }) => !unreached)) return level;
  const { notifiedAt: _at, ...rest } = level;
  return { ...rest, status: level.status === 'done' ? 'unreached' : level.status };
}

/** A long walk notified thousands of people at thousands of levels. */
function notifiedByLevel({
  notified,
  names,
}: RoutedPeople): ReadonlyMap<string, readonly NotifiedMember[]> {
  const places = new Map([...names.keys()].map((id, place) => [id, place]));
  const placeOf = ({ membershipId }: NotifiedMember): number => places.get(membershipId) ?? 0;
  const levels = new Map<string, NotifiedMember[]>();
  for (const each of [...notified].sort((a, b) => placeOf(a) - placeOf(b))) {
    const key = levelKey(each.stepKey);
    const level = levels.get(key);
    if (level) level.push(each);
    else levels.set(key, [each]);
  }
  return levels;
}

function withMembers(target: Target, people: LevelPeople): RoutedTarget {
  const { level, notified, facts } = people;
  const named = ({ membershipId }: Pick<Decider, 'membershipId'>): Decider => ({
    membershipId,
    displayName: facts.names.get(membershipId) ?? '',
  });
  const member = (each: Decider) => asMember(each, people);
  if (target.type === 'broadcast') {
    const asked = level.status === 'upcoming' ? facts.people.deciders : notified.map(named);
    return { type: target.type, members: asked.map(member) };
  }
  const asked =
    target.type === 'user'
      ? [{ membershipId: target.id }]
      : [...membersOf(target.id, people), ...formerMembersOf(target.id, people)];
  const name = facts.names.get(target.id) ?? '';
  return { type: target.type, id: target.id, name, members: asked.map(named).map(member) };
}

function membersOf(teamId: string, { facts }: LevelPeople) {
  return facts.people.teams.get(teamId)?.members ?? [];
}

/**
 * People who were notified through a team they have left. With a team policy the team is on record;
 * otherwise the first team of the level shows them.
 */
function formerMembersOf(id: string, people: LevelPeople): readonly NotifiedMember[] {
  const { targets, ...place } = people.level;
  if (targets.some(({ type }) => type === 'broadcast')) return [];
  const key = stepKey(place);
  const teams = targets.filter((target) => target.type === 'team');
  const named = new Set([
    ...teams.flatMap((team) => membersOf(team.id, people).map(({ membershipId }) => membershipId)),
    ...targets.flatMap((target) => (target.type === 'user' ? [target.id] : [])),
  ]);
  const isOurs = ({ stepKey: at }: NotifiedMember): boolean =>
    at === key ? teams[0]?.id === id : isInside(at, place, id);
  const left = people.notified.filter((each) => isOurs(each) && !named.has(each.membershipId));
  return [...new Map(left.map((each) => [each.membershipId, each])).values()];
}

function asMember(
  { membershipId, displayName }: Decider,
  { notified, facts }: LevelPeople,
): RoutedMember {
  const theirs = notified.filter((each) => each.membershipId === membershipId);
  const reached = theirs.find(({ unreached }) => !unreached);
  const unreached = reached ? undefined : theirs[0]?.unreached;
  return {
    membershipId,
    displayName,
    ...(reached && { notifiedAt: reached.at }),
    ...(unreached && { unreached }),
    canDecide: facts.mayDecide.has(membershipId),
  };
}
