/** What a request is called in lists: the sentence of its presentation, or its tool. Pure. */
import type { Summary } from './queue/change-log.ts';

interface Headline {
  readonly title: string | undefined;
  /** What the excerpt says besides the title. */
  readonly rest: string;
}

const BETWEEN = ' · ';

export function headlineOf({ title, excerpt }: Pick<Summary, 'title' | 'excerpt'>): Headline {
  if (title === undefined) return { title, rest: excerpt };
  if (!excerpt.startsWith(title)) return { title, rest: '' };
  const rest = excerpt.slice(title.length);
  return { title, rest: rest.startsWith(BETWEEN) ? rest.slice(BETWEEN.length) : rest };
}
