/** What the service answers only once. It stays in the memory of this tab until the setup is finished. */
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';

export interface ShownOnce {
  /** Of the credential. */
  readonly token: string | undefined;
  readonly invited: readonly Invited[];
}

export interface Invited {
  readonly id: string;
  readonly email: string;
  /** Where the deployment sends no email. */
  readonly link: string | undefined;
}

const NOTHING: ShownOnce = { token: undefined, invited: [] };

const KEY = ['setup', 'shown-once'];

export function useShownOnce() {
  const queries = useQueryClient();
  const { data: shown = NOTHING } = useQuery<ShownOnce>({
    queryKey: KEY,
    queryFn: skipToken,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return {
    shown,
    keepToken: (token: string) => {
      queries.setQueryData<ShownOnce>(KEY, (before = NOTHING) => ({ ...before, token }));
    },
    /** In the place of an earlier link to the same invitation. */
    keepInvited: (invited: Invited) => {
      queries.setQueryData<ShownOnce>(KEY, (before = NOTHING) => ({
        ...before,
        invited: [...before.invited.filter(({ id }) => id !== invited.id), invited],
      }));
    },
    discard: () => {
      queries.removeQueries({ queryKey: KEY });
    },
  };
}
