/**
 * Short ids of nodes, such as `first-level`, in files. The API has UUIDs: each short id becomes the UUIDv5 of its name
 * within its path or policy. So it is the same wherever the file is applied.
 */
import { v5, validate } from 'uuid';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';

/** Never changes: every id that was ever applied follows from it. */
const NAMESPACE = 'b0f1c9f2-2f0c-5e0e-9d3e-6c5a0d3b8a17';

const SHORT = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** `document`: `escalation-paths/<key>`, or `team-policies/<team>`. */
export const nodeUuid = (document: string, short: string): string =>
  v5(`${document}/${short}`, NAMESPACE);

export const isShortId = (id: string): boolean => SHORT.test(id) && !validate(id);

export type Visit = (node: ExactObject, pointer: string) => void;

/** Every node of a document, those in branches too. */
export function visitNodes(nodes: ExactValue | undefined, pointer: string, visit: Visit): void {
  if (!Array.isArray(nodes)) return;
  for (const [index, node] of nodes.entries()) {
    if (!isExactObject(node)) continue;
    const at = `${pointer}/${String(index)}`;
    visit(node, at);
    visitNodes(node['then'], `${at}/then`, visit);
    visitNodes(node['else'], `${at}/else`, visit);
  }
}

/** The short ids that a document in a file uses, by their UUIDs. */
export function shortIdsIn(document: string, value: ExactValue): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  if (!isExactObject(value)) return known;
  visitNodes(value['nodes'], '', ({ id }) => {
    if (typeof id === 'string' && isShortId(id)) known.set(nodeUuid(document, id), id);
  });
  return known;
}

/**
 * Names by which an export recognizes nodes that no file names: `level-1`, `level-2` and so on. People who number their
 * nodes get their names back from an empty folder, too.
 */
export function numberedIds(document: string, count: number): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const kind of ['level', 'if-else', 'defer'])
    for (let number = 1; number <= count; number += 1) {
      const short = `${kind}-${String(number)}`;
      known.set(nodeUuid(document, short), short);
    }
  return known;
}
