/** The documents of escalation paths and of team escalation policies: who is asked in which order, when, and how often. */
import type { Condition } from '../conditions/types.ts';

export const LIMITS = {
  nodes: 500,
  depth: 32,
  targets: 100,
  conditions: 10,
  workingHours: 50,
  intervals: 50,
  nameLength: 200,
  repeats: 9,
} as const;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** On each of the weekdays from `start` to `end`, `HH:MM` local time. An end before the start is on the next day; `24:00` ends the day. */
export interface WorkingInterval {
  readonly weekdays: readonly Weekday[];
  readonly start: string;
  readonly end: string;
}

export interface WorkingHoursSet {
  readonly id: string;
  readonly name: string;
  /** IANA name. */
  readonly timezone: string;
  readonly intervals: readonly WorkingInterval[];
}

/** One member, by membership id. */
export interface UserTarget {
  readonly type: 'user';
  readonly id: string;
}

/** A team, by id: by its active escalation policy, else every member at once. */
export interface TeamTarget {
  readonly type: 'team';
  readonly id: string;
}

/** Everybody who may decide for the agent when the level fires; in a team's policy, of the team. */
export interface BroadcastTarget {
  readonly type: 'broadcast';
}

export type Target = UserTarget | TeamTarget | BroadcastTarget;

export type Urgency = 'standard' | 'interrupt';

/** Raises the urgency if asked, notifies its targets, then waits `escalate_after` (1m to 168h) before the walk goes on. */
export interface LevelNode {
  readonly id: string;
  readonly type: 'level';
  readonly targets: readonly Target[];
  readonly escalate_after: string;
  readonly raise_urgency: boolean;
}

export type PathCondition =
  | { readonly type: 'working_hours'; readonly working_hours_id: string; readonly active: boolean }
  | { readonly type: 'urgency'; readonly urgency: Urgency }
  | { readonly type: 'request'; readonly when: Condition };

/** All conditions hold: `then`, otherwise `else`; afterwards the walk goes on behind the node. */
export interface IfElseNode {
  readonly id: string;
  readonly type: 'if_else';
  readonly conditions: readonly PathCondition[];
  readonly then: readonly EscalationNode[];
  readonly else: readonly EscalationNode[];
}

/** Waits until the working hours are active; with `standard_only` requests of urgency `interrupt` pass. */
export interface DeferNode {
  readonly id: string;
  readonly type: 'defer';
  readonly working_hours_id: string;
  readonly standard_only: boolean;
}

export type EscalationNode = LevelNode | IfElseNode | DeferNode;

/** `times` further runs from the top, each `after` (1m to 168h) behind the end of the run before. */
export interface Repeat {
  readonly times: number;
  readonly after: string;
}

/** What is walked: an escalation path or a team's policy. */
export interface EscalationDocument {
  readonly working_hours: readonly WorkingHoursSet[];
  readonly nodes: readonly EscalationNode[];
  readonly repeat?: Repeat;
}

export interface EscalationPathDocument extends EscalationDocument {
  readonly name: string;
}

/** Targets are members of the team, or one broadcast to all of them. */
export type TeamPolicyDocument = EscalationDocument;

/** Every node, each before those inside and behind it. */
export function allNodes(nodes: readonly EscalationNode[]): readonly EscalationNode[] {
  return nodes.flatMap((node) =>
    node.type === 'if_else' ? [node, ...allNodes(node.then), ...allNodes(node.else)] : [node],
  );
}

export function allLevels(document: EscalationDocument): readonly LevelNode[] {
  return allNodes(document.nodes).filter((node) => node.type === 'level');
}

export interface LocatedLevel {
  readonly level: LevelNode;
  /** JSON pointer into the document. */
  readonly pointer: string;
}

/** The levels of a document and where they stand in it. */
export function locateLevels(
  { nodes }: Pick<EscalationDocument, 'nodes'>,
  pointer = '/nodes',
): readonly LocatedLevel[] {
  return nodes.flatMap((node, index) => {
    const at = `${pointer}/${index}`;
    if (node.type === 'level') return [{ level: node, pointer: at }];
    if (node.type === 'defer') return [];
    return [
      ...locateLevels({ nodes: node.then }, `${at}/then`),
      ...locateLevels({ nodes: node.else }, `${at}/else`),
    ];
  });
}

/** The distinct targets of a document, in the order in which they stand in it. */
export function pathTargets(document: EscalationDocument): readonly Target[] {
  const targets = allLevels(document).flatMap((level) => level.targets);
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

/** The same for equal targets, different for others. */
export function targetKey(target: Target): string {
  return target.type === 'broadcast' ? target.type : `${target.type}:${target.id}`;
}
