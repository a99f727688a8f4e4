/** What the palette finds for what was typed: at once what the app knows, and a moment later what the service finds. */
import { useQueries, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSettled } from '../../shared/browser/settled.ts';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { matching, type Group, type Item } from './items.ts';
import { recentItems } from './recent.ts';
import { GUIDES, screensFor } from './screens.ts';
import { foundQuery, SOURCES } from './sources.ts';

/** Letters. One would find nearly everything. */
const SHORTEST = 2;
const MOST_GUIDES = 6;

export interface FoundItems {
  readonly items: readonly Item[];
  readonly isSearching: boolean;
  readonly failed: readonly { readonly group: Group; readonly refetch: () => Promise<unknown> }[];
  readonly notes: readonly string[];
}

export function useItems(typed: string): FoundItems {
  const { data: account } = useSuspenseQuery(accountQuery);
  const query = typed.trim();
  const asked = useSettled(query);
  const sources = SOURCES.filter(({ permission }) => hasPermission(account, permission));
  const isAsked = asked.length >= SHORTEST;
  const results = useQueries({
    queries: sources.map((source) => ({ ...foundQuery(source, asked), enabled: isAsked })),
  });
  const screens = useMemo(() => screensFor(account), [account]);
  const [recent] = useState(recentItems);
  // Results of what was typed before would be others than it says.
  const found = isAsked && asked === query ? results : [];
  return {
    items: [
      ...matching(recent, query),
      ...matching(screens, query),
      ...found.flatMap(({ data }) => data?.items ?? []),
      ...(query === '' ? [] : matching(GUIDES, query).slice(0, MOST_GUIDES)),
    ],
    isSearching:
      query.length >= SHORTEST && (asked !== query || found.some(({ isFetching }) => isFetching)),
    failed: found.flatMap(({ isError, isFetching, refetch }, index) => {
      const group = sources[index]?.group;
      return isError && !isFetching && group !== undefined ? [{ group, refetch }] : [];
    }),
    notes: found.flatMap(({ data }) => data?.note ?? []),
  };
}
