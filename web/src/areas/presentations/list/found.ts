/** Which presentations a search finds. Pure. */
import type { Listed } from '../presentations-data.ts';
import type { PresentationsSearch } from '../presentations-search.ts';

/** Those of exactly this tool first. Otherwise the order stays: own ones, then built-in ones. */
export function found(
  entries: readonly Listed[],
  { q = '', show }: PresentationsSearch,
): readonly Listed[] {
  const wanted = q.toLowerCase();
  const has = ({ tool, server = '', title }: Listed) =>
    [tool, server, title].some((each) => each.toLowerCase().includes(wanted));
  const isExact = ({ tool }: Listed): number => (tool === q ? 0 : 1);
  return entries
    .filter((entry) => (show === undefined || entry.source === show) && has(entry))
    .toSorted((one, other) => isExact(one) - isExact(other));
}
