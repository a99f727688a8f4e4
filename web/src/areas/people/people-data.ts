/** What the pages of people and teams read. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { readAccessAgain } from '../../shared/access/access-data.ts';
import { call } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { PeopleSearch, TeamsSearch } from './people-search.ts';

export type MemberDetail = components['schemas']['MemberDetail'];
export type Member = components['schemas']['Member'];
export type Team = components['schemas']['Team'];
export type TeamMember = components['schemas']['TeamMember'];

const PAGE = 50;
/** As many as a list to choose from has. */
const CHOICES = 500;

export const membersQuery = ({ q, show, team }: PeopleSearch) =>
  listPages({
    name: ['members', 'list'],
    filter: { q, show, team },
    read: async (page, signal) => {
      const query = {
        limit: PAGE,
        ...(show !== 'all' && { status: show ?? ('active' as const) }),
        ...(q !== undefined && { q }),
        ...(team !== undefined && { team_id: team }),
        ...page,
      };
      return (await call('get', '/api/v1/members', { params: { query }, signal })).body;
    },
  });

export const memberQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', 'one', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/members/{id}', { params: { path: { id } }, signal })).body,
  });

export const teamsQuery = ({ q, show }: TeamsSearch) =>
  listPages({
    name: ['teams', 'list'],
    filter: { q, show },
    read: async (page, signal) => {
      const query = {
        limit: PAGE,
        status: show ?? ('live' as const),
        ...(q !== undefined && { q }),
        ...page,
      };
      return (await call('get', '/api/v1/teams', { params: { query }, signal })).body;
    },
  });

/** The teams to filter by. */
export const teamChoicesQuery = queryOptions({
  queryKey: ['teams', 'choices'],
  queryFn: async ({ signal }) => {
    const query = { limit: CHOICES };
    const { body } = await call('get', '/api/v1/teams', { params: { query }, signal });
    return body.teams.map(({ id, name }) => ({ id, name }));
  },
  staleTime: 60_000,
});

export const teamPageQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'page', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/teams/{id}', { params: { path: { id } }, signal })).body,
  });

/** How many people there may be, and how many there are. */
export const seatsQuery = queryOptions({
  queryKey: ['organization', 'seats'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/organization', { signal })).body.limits.seats,
});

/** After a change of people or teams: one changes what the pages of the other show. */
export async function readPeopleAgain(queries: QueryClient): Promise<void> {
  await Promise.all([
    ...[['members'], ['teams'], ['organization', 'seats']].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
    readAccessAgain(queries),
  ]);
}
