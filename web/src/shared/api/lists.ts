/** Lists that are read page by page. */
import { hashKey, infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

interface ListCalls<Page> {
  /** Which list it is. Its key begins with this. */
  readonly name: QueryKey;
  /** What narrows or orders it. */
  readonly filter?: unknown;
  readonly read: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<Page>;
}

/** Each page begins after the last row of the one before, so rows that come meanwhile move none. */
export const listPages = <Page extends { readonly next_cursor?: string | undefined }>({
  name,
  filter = '',
  read,
}: ListCalls<Page>) =>
  infiniteQueryOptions({
    queryKey: [...name, filter],
    queryFn: async ({ signal, pageParam: cursor }) =>
      await read(cursor === undefined ? {} : { cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keptRows(name),
  });

/** Rows stay until those of another filter are here. Those of another list would be wrong ones. */
export const keptRows =
  (name: QueryKey) =>
  <Data>(
    before: Data | undefined,
    query: { readonly queryKey: QueryKey } | undefined,
  ): Data | undefined =>
    query && hashKey(query.queryKey.slice(0, name.length)) === hashKey(name) ? before : undefined;

/** Pages that begin after a number of rows may have a row twice, where another one came meanwhile. */
export const once = <Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];
