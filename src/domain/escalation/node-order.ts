/** Finding nodes of a document, and what comes behind them. Indexed once for each document: a walk asks at every step. */
import type { EscalationDocument, EscalationNode } from './types.ts';

interface Indexed {
  readonly node: EscalationNode;
  /** The node the walk goes on with behind this one; undefined when the nodes run out. */
  readonly behind: EscalationNode | undefined;
}

const indices = new WeakMap<EscalationDocument, ReadonlyMap<string, Indexed>>();

function indexOf(document: EscalationDocument): ReadonlyMap<string, Indexed> {
  const known = indices.get(document);
  if (known) return known;
  const index = new Map<string, Indexed>();
  addNodes(document.nodes, undefined, index);
  indices.set(document, index);
  return index;
}

function addNodes(
  nodes: readonly EscalationNode[],
  after: EscalationNode | undefined,
  index: Map<string, Indexed>,
): void {
  for (const [position, node] of nodes.entries()) {
    const behind = nodes[position + 1] ?? after;
    index.set(node.id, { node, behind });
    if (node.type !== 'if_else') continue;
    addNodes(node.then, behind, index);
    addNodes(node.else, behind, index);
  }
}

/** Throws when the document has no such node. */
export function nodeOf(document: EscalationDocument, nodeId: string): EscalationNode {
  return entryOf(document, nodeId).node;
}

export function nodeBehind(
  document: EscalationDocument,
  nodeId: string,
): EscalationNode | undefined {
  return entryOf(document, nodeId).behind;
}

function entryOf(document: EscalationDocument, nodeId: string): Indexed {
  const entry = indexOf(document).get(nodeId);
  if (!entry) throw new Error(`the escalation path has no node ${nodeId}`);
  return entry;
}
