/** Types of escalation documents, derived from their grammar, and functions that visit their nodes. */
import type { Condition } from '../conditions/document.ts';
import type { ReadAs } from '../grammar.ts';
import {
  targetKey,
  type pathCondition,
  type pathDocumentSchema,
  type pathNode,
  type target,
  type workingHoursSet,
  type workingInterval,
} from './document.ts';

export type WorkingInterval = ReadAs<typeof workingInterval>;
export type WorkingHoursSet = ReadAs<typeof workingHoursSet>;

export type Target = ReadAs<typeof target>;
export type PathCondition = ReadAs<typeof pathCondition>;
export type Urgency = Extract<PathCondition, { type: 'urgency' }>['urgency'];

export type EscalationNode = ReadAs<typeof pathNode>;
export type LevelNode = Extract<EscalationNode, { type: 'level' }>;

export type DeferNode = Extract<EscalationNode, { type: 'defer' }>;
export type IfElseNode = Extract<EscalationNode, { type: 'if_else' }>;

export type EscalationPathDocument = ReadAs<typeof pathDocumentSchema>;
/** What a walk follows: an escalation path or a team's policy. */
export type EscalationDocument = Omit<EscalationPathDocument, 'name'>;
/** The targets of a level are members of the team, or one broadcast to all of them. */
export type TeamPolicyDocument = EscalationDocument;

/** The lists of nodes inside a node, in document order. */
export function branchesOf(node: EscalationNode): readonly (readonly EscalationNode[])[] {
  switch (node.type) {
    case 'if_else':
      return [node.then, node.else];
    case 'level':
    case 'defer':
      return [];
  }
}

/** All nodes, in document order. */
export function allNodes(nodes: readonly EscalationNode[]): readonly EscalationNode[] {
  return nodes.flatMap((node) => [node, ...branchesOf(node).flatMap(allNodes)]);
}

export function allLevels(document: EscalationDocument): readonly LevelNode[] {
  return allNodes(document.nodes).filter((node) => node.type === 'level');
}

/** The conditions about the request, in document order. */
export function requestConditions(document: EscalationDocument): readonly Condition[] {
  return allNodes(document.nodes).flatMap((node) =>
    node.type === 'if_else'
      ? node.conditions.flatMap((each) => (each.type === 'request' ? [each.when] : []))
      : [],
  );
}

export interface LocatedLevel {
  readonly level: LevelNode;
  /** JSON pointer into the document. */
  readonly pointer: string;
}

/** The levels of a document, each with its position. */
export function locateLevels(
  { nodes }: Pick<EscalationDocument, 'nodes'>,
  pointer = '/nodes',
): readonly LocatedLevel[] {
  return nodes.flatMap((node, index) => {
    const at = `${pointer}/${index}`;
    switch (node.type) {
      case 'level':
        return [{ level: node, pointer: at }];
      case 'defer':
        return [];
      case 'if_else':
        return [
          ...locateLevels({ nodes: node.then }, `${at}/then`),
          ...locateLevels({ nodes: node.else }, `${at}/else`),
        ];
      default:
        node satisfies never;
        return [];
    }
  });
}

/** Each target once. */
export function distinctTargets(targets: readonly Target[]): readonly Target[] {
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

/** The distinct targets of a document, in document order. */
export function pathTargets(document: EscalationDocument): readonly Target[] {
  return distinctTargets(allLevels(document).flatMap((level) => level.targets));
}
