/**
 * Translators replace texts of a page with their own elements. React keeps the texts, and cannot remove one that is not
 * where it was: the page would be gone. So a text returns to its place before React touches it, and when it changes.
 */

/** What stands in place of a text. */
const replacements = new WeakMap<Node, readonly ChildNode[]>();

/** Call it once, before the app is drawn. */
export function keepReplacedTexts(): void {
  const changes = new MutationObserver((records) => {
    for (const text of changedIn(records)) putBack(text);
  });
  const children = new MutationObserver((records) => {
    remember(records, changes);
  });
  children.observe(document.body, { childList: true, subtree: true });
  const { removeChild, insertBefore } = Node.prototype;
  const find = (child: Node, parent: Node) => {
    if (child.parentNode === parent) return;
    remember(children.takeRecords(), changes);
    putBack(child);
  };
  Node.prototype.removeChild = function removeReplaced<T extends Node>(this: Node, child: T): T {
    find(child, this);
    return removeChild.call(this, child) as T;
  };
  Node.prototype.insertBefore = function insertBeforeReplaced<T extends Node>(
    this: Node,
    child: T,
    next: Node | null,
  ): T {
    if (next) find(next, this);
    return insertBefore.call(this, child, next) as T;
  };
}

function remember(records: readonly MutationRecord[], changes: MutationObserver): void {
  for (const record of records) {
    for (const removed of record.removedNodes) {
      if (!(removed instanceof Text) || removed.parentNode) continue;
      const by = replacementOf(record);
      if (by.length === 0) continue;
      replacements.set(removed, by);
      // React changes a text where it stands, and would not see that it is nowhere.
      changes.observe(removed, { characterData: true });
    }
  }
}

/** React never puts one node in the place of another. Some translators do it in two steps, and all of those use `font`. */
function replacementOf(record: MutationRecord): readonly ChildNode[] {
  const { addedNodes, previousSibling, nextSibling, target } = record;
  const candidates =
    addedNodes.length > 0
      ? [...addedNodes]
      : [previousSibling, nextSibling].filter((node) => node?.nodeName === 'FONT').slice(0, 1);
  return candidates.filter(
    (node): node is ChildNode => node?.parentNode === target && !(node instanceof Text),
  );
}

function putBack(text: Node): void {
  const [first, ...others] = replacements.get(text) ?? [];
  replacements.delete(text);
  if (!first?.parentNode || text.parentNode) return;
  first.replaceWith(text);
  for (const other of others) other.remove();
}

const changedIn = (records: readonly MutationRecord[]): ReadonlySet<Node> =>
  new Set(records.map(({ target }) => target));
