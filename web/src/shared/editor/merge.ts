/**
 * Two changes of one document put together: what someone else changed, and on top of it what was changed here. Values are
 * compared and kept as they are written. Lists whose items have an `id` are merged by item.
 */
import { stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { readSource, type SourceValue } from '../../../../src/platform/json/source-values.ts';
import { printedJson } from './printed-json.ts';

interface Merged {
  readonly text: string;
  /** How many places both changed, each in its own way. Those of `mine` are kept. */
  readonly clashes: number;
}

interface Versions {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** All three are JSON. */
export function mergeDocuments(texts: Versions): Merged {
  const merge = { clashes: 0 };
  const text = mergeValues(merge, {
    base: readSource(texts.base),
    mine: readSource(texts.mine),
    theirs: readSource(texts.theirs),
  });
  return { text: printedJson(text ?? texts.mine), clashes: merge.clashes };
}

interface Places {
  readonly base: SourceValue | undefined;
  readonly mine: SourceValue | undefined;
  readonly theirs: SourceValue | undefined;
}

/** The source of the merged value; undefined where it is gone. */
function mergeValues(merge: { clashes: number }, places: Places): string | undefined {
  const { base, mine, theirs } = places;
  const [was, is, other] = [compact(base), compact(mine), compact(theirs)];
  if (is === was || is === other) return theirs?.source;
  if (other === was) return mine?.source;
  if (mine?.kind === 'object' && theirs?.kind === 'object') {
    const [before, here, there] = [membersOf(base), membersOf(mine), membersOf(theirs)];
    const names = [...new Set([...there.keys(), ...here.keys()])];
    const members = names.flatMap((name) => {
      const source = mergeValues(merge, {
        base: before.get(name),
        mine: here.get(name),
        theirs: there.get(name),
      });
      return source === undefined ? [] : [`${stringifyExact(name)}:${source}`];
    });
    return `{${members.join(',')}}`;
  }
  const lists = [base, mine, theirs].map(itemsById);
  const [before = new Map(), here, there] = lists;
  if (here && there) return mergeItems(merge, { before, here, there });
  merge.clashes += 1;
  return mine?.source;
}

type Items = ReadonlyMap<string, SourceValue>;

interface ItemLists {
  readonly before: Items;
  readonly here: Items;
  readonly there: Items;
}

/** In the order of the one who moved items; in ours, if both did. The items of the other one follow those before them. */
function mergeItems(merge: { clashes: number }, { before, here, there }: ItemLists): string {
  const isOrderMine = !isSameOrder(before, here);
  const [order, others] = isOrderMine ? [here, there] : [there, here];
  const ids = [...order.keys()];
  let after = -1;
  for (const id of others.keys()) {
    const at = ids.indexOf(id);
    if (at < 0) ids.splice(after + 1, 0, id);
    after = at < 0 ? after + 1 : at;
  }
  const items = ids.flatMap((id) => {
    const source = mergeValues(merge, {
      base: before.get(id),
      mine: here.get(id),
      theirs: there.get(id),
    });
    return source === undefined ? [] : [source];
  });
  return `[${items.join(',')}]`;
}

/** Of the items that both have. */
function isSameOrder(one: Items, other: Items): boolean {
  const [a, b] = [[...one.keys()].filter((id) => other.has(id)), [...other.keys()]];
  const common = b.filter((id) => one.has(id));
  return a.every((id, index) => id === common[index]);
}

/** Undefined unless it is a list of objects with different ids. */
function itemsById(list: SourceValue | undefined): Items | undefined {
  if (list?.kind !== 'array') return undefined;
  const items = new Map<string, SourceValue>();
  for (const item of list.items) {
    const id = item.kind === 'object' ? item.at('/id') : undefined;
    if (id?.kind !== 'string' || items.has(id.characters)) return undefined;
    items.set(id.characters, item);
  }
  return items;
}

const membersOf = (object: SourceValue | undefined): ReadonlyMap<string, SourceValue> =>
  new Map(object?.members.map(({ key, value }) => [key, value]));

/** Without white space between the parts. */
export function compact(value: SourceValue | undefined): string | undefined {
  if (!value) return undefined;
  if (value.size === 0) return value.source.replaceAll(/^([[{])\s+([\]}])$/g, '$1$2');
  const entries = [...value.children()].map(
    ({ keySource, value: child }) =>
      `${keySource === undefined ? '' : `${keySource}:`}${compact(child)}`,
  );
  return value.kind === 'object' ? `{${entries.join(',')}}` : `[${entries.join(',')}]`;
}
