/** Cutting lists into pages. */

/**
 * The page out of what was found for `limit + 1`: the item too many only says that another page follows. `last` is the
 * item it follows, undefined on the last page.
 */
export function cutPage<T>(
  found: readonly T[],
  limit: number,
): { readonly items: readonly T[]; readonly last: T | undefined } {
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}
