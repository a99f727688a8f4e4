/** What the address of the organization's keys says. Every screen loads this, so it is short. */
import { validate as isUuid } from 'uuid';
import { known, oneOf, typed, type ListSearch } from '../../shared/routes/list-search.ts';

/** Without `show`: keys that work. */
export interface OrganizationKeysSearch extends ListSearch<'ending' | 'expired' | 'revoked'> {
  readonly kind?: 'personal' | 'organization';
  /** The id of the membership of who created it. */
  readonly by?: string;
}

export const readKeysSearch = (given: Record<string, unknown>): OrganizationKeysSearch =>
  known<OrganizationKeysSearch>(
    {
      q: typed(given['q']),
      show: oneOf(given['show'], ['ending', 'expired', 'revoked']),
      kind: oneOf(given['kind'], ['personal', 'organization']),
      by: isUuid(given['by']) ? (given['by'] as string) : undefined,
    },
    given,
  );
