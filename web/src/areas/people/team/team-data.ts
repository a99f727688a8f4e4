/** What changes a team. */
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '../../../shared/api/api.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { readPeopleAgain, teamPageQuery, type TeamMember } from '../people-data.ts';

const FOUND = 8;

/** Who can be added: also who is suspended, but no one who was removed. */
export const candidatesQuery = (q: string) =>
  queryOptions({
    queryKey: ['members', 'candidates', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: FOUND };
      const { body } = await call('get', '/api/v1/members', { params: { query }, signal });
      return {
        people: body.members.filter(({ status }) => status !== 'deprovisioned'),
        hasMore: body.next_cursor !== undefined,
      };
    },
  });

/** What a team gives may be dangerous: then it needs recent authentication. */
function useChange<Variables>(
  change: (variables: Variables) => Promise<unknown>,
  options: { readonly scope?: { readonly id: string } } = {},
) {
  const queries = useQueryClient();
  return useSensitiveMutation<unknown, Variables>({
    ...options,
    mutationFn: change,
    onSuccess: async () => {
      await readPeopleAgain(queries);
    },
  });
}

export const useRenameTeam = (id: string) =>
  useChange(async (name: string) => {
    await call('patch', '/api/v1/teams/{id}', { params: { path: { id } }, body: { name } });
  });

export const useArchiveTeam = (id: string) =>
  useChange(async () => {
    await call('delete', '/api/v1/teams/{id}', { params: { path: { id } } });
  });

export interface MembersChange {
  readonly add?: string;
  readonly takeOut?: string;
  readonly force?: boolean;
}

/** Who was added by hand: what a change of the members replaces. */
export const idsByHand = (members: readonly TeamMember[]): readonly string[] =>
  members.flatMap(({ membership_id: id, sources }) => (sources.includes('manual') ? [id] : []));

/** The call replaces the list. It is read again first, so that what others changed meanwhile stays. */
export function useChangeMembers(id: string) {
  const queries = useQueryClient();
  return useChange(
    async ({ add, takeOut, force = false }: MembersChange) => {
      const { members } = await queries.fetchQuery({ ...teamPageQuery(id), staleTime: 0 });
      const kept = idsByHand(members).filter((each) => each !== takeOut && each !== add);
      const body = { membership_ids: add === undefined ? kept : [...kept, add], force };
      await call('put', '/api/v1/teams/{id}/members', { params: { path: { id } }, body });
    },
    // It replaces all members, so a change that is undone meanwhile waits for its turn.
    { scope: { id: `members of team ${id}` } },
  );
}

export type ChangeMembers = ReturnType<typeof useChangeMembers>;

export const isNamedInPolicy = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === 'team_member_in_escalation_policy';

export interface TeamUses {
  readonly escalation_paths: readonly { readonly path_key: string; readonly name: string }[];
  readonly request_count: number;
  readonly request_ids: readonly string[];
}

/** What asks the team, where that refuses to archive it. */
export function teamUsesOf(error: Error | null): TeamUses | undefined {
  if (!(error instanceof ApiError) || error.code !== 'team_in_escalation_path') return undefined;
  return error.details as unknown as TeamUses;
}
