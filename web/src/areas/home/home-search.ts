/** What the home shows, as its address says. */
import { known } from '../../shared/routes/list-search.ts';

export interface HomeSearch {
  /** The steps of the setup, although they are hidden. */
  readonly setup?: true;
}

export const readHomeSearch = (search: Record<string, unknown>): HomeSearch =>
  known<HomeSearch>({ setup: search['setup'] === true || undefined }, search);
