/**
 * Finds the nodes of a document and what follows them. A walk asks at every step, so each document
 * is indexed once.
 */
import { branchesOf, type EscalationDocument, type EscalationNode } from './types.ts';

interface Indexed {
  readonly node: EscalationNode;
  /** The node the walk continues with after this one; undefined at the end of the nodes. */
  readonly next: EscalationNode | undefined;
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
    const next = nodes[position + 1] ?? after;
    index.set(node.id, { node, next });
    for (const branch of branchesOf(node)) addNodes(branch, next, index);
  }
}

/** Throws when the document has no such node. */
export function nodeOf(document: EscalationDocument, nodeId: string): EscalationNode {
  return entryOf(document, nodeId).node;
}

export function nodeAfter(
  document: EscalationDocument,
  nodeId: string,
): EscalationNode | undefined {
  return entryOf(document, nodeId).next;
}

function entryOf(document: EscalationDocument, nodeId: string): Indexed {
  const entry = indexOf(document).get(nodeId);
  if (!entry) throw new Error(`the escalation path has no node ${nodeId}`);
  return entry;
}
