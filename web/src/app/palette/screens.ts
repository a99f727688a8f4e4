/** The pages that a person may open, and the guides. */
import { outlines } from '../../areas/docs/guides.ts';
import type { Account } from '../../shared/session/session.ts';
import { navigation as text } from '../../shared/text/navigation.ts';
import { session } from '../../shared/text/session.ts';
import { ACCOUNT_SECTIONS } from '../account-layout.tsx';
import { entriesFor, peoplePlaces, rulesPlaces, settingsPlaces } from '../places.ts';
import type { Item } from './items.ts';

interface Part {
  readonly to: string;
  readonly label: string;
}

const partsOf = (parts: readonly Part[], detail: string): readonly Item[] =>
  parts.map(({ to, label }) => ({ href: to, group: 'screens', label, detail }));

export const screensFor = (account: Account): readonly Item[] => [
  ...entriesFor(account).map(({ to, label }): Item => ({ href: to, group: 'screens', label })),
  ...partsOf(rulesPlaces(account), text.rules),
  ...partsOf(peoplePlaces(account), text.people),
  ...partsOf(settingsPlaces(account), text.settings),
  ...partsOf(ACCOUNT_SECTIONS, session.me),
  { href: '/docs', group: 'screens', label: text.guides },
];

/** Of headings only those that divide a page. */
export const GUIDES: readonly Item[] = [...outlines].flatMap(([id, { title, headings }]) => [
  { href: `/docs/${id}`, group: 'guides', label: title },
  ...headings
    .filter(({ level }) => level === 2)
    .map(({ anchor, text: heading }): Item => ({
      href: `/docs/${id}#${anchor}`,
      group: 'guides',
      label: heading,
      detail: title,
    })),
]);
