/** What the addresses of presentations say. Every screen loads this, so it is short. */
import { known, oneOf, typed, type ListSearch } from '../../shared/routes/list-search.ts';

export interface PresentationsSearch extends ListSearch<'organization' | 'built_in'> {
  /** For which calls a new one is. What is known about them fills it in. */
  readonly tool?: string;
  readonly server?: string;
}

/** In the place of an id: the built-in one for the tool and the server of the address. */
export const BUILT_IN = 'built-in';

/** As long as names of tools and servers are. */
const MOST_CHARACTERS = 1_024;

export const readPresentationsSearch = (given: Record<string, unknown>): PresentationsSearch =>
  known<PresentationsSearch>(
    {
      q: typed(given['q'], MOST_CHARACTERS),
      show: oneOf(given['show'], ['organization', 'built_in']),
      tool: typed(given['tool'], MOST_CHARACTERS),
      server: typed(given['server'], MOST_CHARACTERS),
    },
    given,
  );
