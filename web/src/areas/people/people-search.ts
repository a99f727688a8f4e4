/** What the addresses of people and teams say. Every screen loads this, so it is short. */
import { validate as isUuid } from 'uuid';
import { known, oneOf, typed, type ListSearch } from '../../shared/routes/list-search.ts';

/** Without `show`: active members. */
export interface PeopleSearch extends ListSearch<'suspended' | 'deprovisioned' | 'all'> {
  /** The id of a team. */
  readonly team?: string;
}

export const readPeopleSearch = (given: Record<string, unknown>): PeopleSearch =>
  known<PeopleSearch>(
    {
      q: typed(given['q']),
      show: oneOf(given['show'], ['suspended', 'deprovisioned', 'all']),
      team: isUuid(given['team']) ? (given['team'] as string) : undefined,
    },
    given,
  );

/** Without `show`: pending invitations. */
export type InvitationsSearch = ListSearch<'accepted' | 'expired' | 'revoked' | 'all'>;

export type TeamsSearch = ListSearch<'archived'>;
