/** Where the palette led lately. It stays in this tab, until the person signs out or another one signs in. */
import type { Item } from './items.ts';

const NAME = 'palette-recent';
const MOST = 6;

export function recentItems(): readonly Item[] {
  try {
    // eslint-disable-next-line no-restricted-syntax -- Labels and addresses are texts.
    const kept = JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as readonly Item[];
    return kept.map((item) => ({ ...item, group: 'recent' }));
  } catch {
    return [];
  }
}

export function keepRecent({ href, label, detail, group }: Item): void {
  const others = recentItems().filter((each) => each.href !== href);
  const kept = [{ href, label, detail, group }, ...others].slice(0, MOST);
  try {
    sessionStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // The browser has no room. Nothing depends on it.
  }
}
