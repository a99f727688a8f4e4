/** What the palette finds, and in which order. Pure. */
import type { palette as text } from './text.ts';

export type Group = keyof typeof text.groups;

export interface Item {
  /** The address that it leads to. Each address is found once. */
  readonly href: string;
  readonly group: Group;
  readonly label: string;
  /** What tells it apart from others of this name. */
  readonly detail?: string | undefined;
  /** What people also type. */
  readonly keywords?: string | undefined;
}

const wordsOf = (query: string): readonly string[] =>
  query.toLowerCase().split(/\s+/).filter(Boolean);

/** Items that have all words, those whose names begin with the first one before others. */
export function matching(items: readonly Item[], query: string): readonly Item[] {
  const words = wordsOf(query);
  const rank = ({ label }: Item): number => {
    const at = label.toLowerCase().indexOf(words[0] ?? '');
    if (at < 0) return 2;
    return at === 0 || /\W/.test(label.charAt(at - 1)) ? 0 : 1;
  };
  return items
    .filter(({ label, detail = '', keywords = '' }) => {
      const texts = `${label} ${detail} ${keywords}`.toLowerCase();
      return words.every((word) => texts.includes(word));
    })
    .map((item) => ({ item, rank: rank(item) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** Where one went lately first. An item that is found twice stays where it comes first. */
export function grouped(
  items: readonly Item[],
): readonly { readonly group: Group; readonly items: readonly Item[] }[] {
  const seen = new Set<string>();
  const groups = new Map<Group, Item[]>();
  for (const item of items) {
    if (seen.has(item.href)) continue;
    seen.add(item.href);
    groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  }
  return [...groups].map(([group, found]) => ({ group, items: found }));
}
