/** The pages of the guides: their titles and order, and their content, which is read when a page is opened. */
import { queryOptions } from '@tanstack/react-query';
import { loadPart } from '../../shared/browser/new-build.ts';
import { docs as text } from './text.ts';
import { guideIdOf } from './guide-ids.ts';
import type { Guide, Outline } from './guide-tree.ts';

const OUTLINES = import.meta.glob<Outline>(
  ['../../../../docs/*.md', '../../../../docs/{guides,operations}/**/*.md'],
  { eager: true, query: '?outline', import: 'outline' },
);
const PAGES = import.meta.glob<Guide>(
  ['../../../../docs/*.md', '../../../../docs/{guides,operations}/**/*.md'],
  { import: 'guide' },
);

const byId = <Value>(files: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(
    Object.entries(files).map(([file, value]) => [
      guideIdOf(file.replace(/^(?:\.\.\/)+/, '')) ?? file,
      value,
    ]),
  );

export const outlines = byId(OUTLINES);
const pages = byId(PAGES);

/** `id`: of a page that `outlines` has. */
export const guideQuery = (id: string) =>
  queryOptions({
    queryKey: ['guide', id],
    queryFn: async () => {
      const load = pages.get(id);
      if (!load) throw new Error(`There is no guide ${id}.`);
      return await loadPart(load);
    },
    staleTime: Infinity,
  });

interface Group {
  readonly title: string;
  readonly guides: readonly string[];
}

/** All pages in the order in which the index names them, by its sections. Gates have a separate group. */
export const groups: readonly Group[] = (() => {
  const found = new Map<string, Set<string>>();
  const add = (title: string, guide: string) => {
    found.set(title, (found.get(title) ?? new Set<string>()).add(guide));
  };
  for (const { section, guide } of outlines.get('')?.links ?? [])
    if (guide !== '') add(/^gates(?:\/|$)/.test(guide) ? text.gates : section || text.start, guide);
  return [...found].map(([title, guides]) => ({ title, guides: [...guides] }));
})();
