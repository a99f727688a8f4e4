/** Cuts lists into pages. */

/**
 * The page from a query of `limit + 1` items. The extra item only shows that another page follows.
 * `last` is the item that the next page follows, undefined on the last page.
 */
export function cutPage<T>(
  found: readonly T[],
  limit: number,
): { readonly items: readonly T[]; readonly last: T | undefined } {
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}
