/** How long a document takes to ask everyone it may ask, so that a team's policy can be compared with its level. */
import { parseDuration } from '../durations.ts';
import { allNodes, type EscalationDocument, type EscalationNode, type LevelNode } from './types.ts';
import { totalRuns } from './walk.ts';

interface Length {
  /** When its last level begins; undefined without levels. */
  readonly last: number | undefined;
  readonly end: number;
}

/**
 * When the last level of the last run begins, in milliseconds from the start: on the longest way
 * through its branches, without waits for working hours. Undefined without levels.
 */
export function lastLevelAt(document: EscalationDocument): number | undefined {
  const { last, end } = lengthOf(document.nodes, 0);
  if (last === undefined) return undefined;
  const { repeat } = document;
  return repeat ? (totalRuns(document) - 1) * (end + msOf(repeat.after)) + last : last;
}

function lengthOf(nodes: readonly EscalationNode[], start: number): Length {
  let at: Length = { last: undefined, end: start };
  for (const node of nodes) {
    const next = nodeLength(node, at.end);
    at = { last: latest(at.last, next.last), end: next.end };
  }
  return at;
}

function nodeLength(node: EscalationNode, start: number): Length {
  switch (node.type) {
    case 'level':
      return { last: start, end: start + msOf(node.escalate_after) };
    case 'defer':
      return { last: undefined, end: start };
    case 'if_else': {
      const ways = [lengthOf(node.then, start), lengthOf(node.else, start)];
      return {
        last: latest(...ways.map(({ last }) => last)),
        end: Math.max(...ways.map(({ end }) => end)),
      };
    }
  }
}

function latest(...instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

const msOf = (wait: string): number => parseDuration(wait) ?? 0;

/** The levels of a path that end before the last level of this team's policy begins. */
export function levelsTooShort(
  path: EscalationDocument,
  { teamId, policy }: { readonly teamId: string; readonly policy: EscalationDocument },
): readonly LevelNode[] {
  const last = lastLevelAt(policy);
  if (last === undefined) return [];
  return allNodes(path.nodes).filter(
    (node): node is LevelNode =>
      node.type === 'level' &&
      node.targets.some((target) => target.type === 'team' && target.id === teamId) &&
      // A step at the very end of its level does not happen.
      msOf(node.escalate_after) <= last,
  );
}
