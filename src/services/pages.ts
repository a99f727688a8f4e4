/** Reads lists page by page. */

/**
 * One page. `read` gets the number of items to ask for: one more than the page holds, which only
 * shows that another page follows. `last` is the item that the next page follows, undefined on the
 * last page.
 */
export async function readPage<T>(
  limit: number,
  read: (limit: number) => Promise<readonly T[]>,
): Promise<{ readonly items: readonly T[]; readonly last: T | undefined }> {
  const found = await read(limit + 1);
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}
