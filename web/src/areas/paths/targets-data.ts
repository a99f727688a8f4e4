/** People and teams that a path can ask, with their names. */
import { useQueries, queryOptions } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { NodeView, PathView, TargetView } from './document/read-path.ts';

export type Team = components['schemas']['Team'];
export type Member = components['schemas']['Member'];

export interface NamedTarget {
  readonly name: string;
  /** In words, where the person or team is not asked. */
  readonly state?: 'suspended' | 'removed' | 'archived';
  readonly memberCount?: number;
  /** Whether the team has an active escalation policy. */
  readonly hasPolicy?: boolean;
}

/** By type and id, such as `team:0198…`. */
export type Names = ReadonlyMap<string, NamedTarget>;

export const nameKey = ({ type, id }: Pick<TargetView, 'type' | 'id'>): string => `${type}:${id}`;

const STALE_MS = 60_000;

const memberQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', 'one', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/members/{id}', { params: { path: { id } }, signal })).body,
    staleTime: STALE_MS,
    retry: false,
  });

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'one', id],
    queryFn: async ({ signal }) =>
      (await call('get', '/api/v1/teams/{id}', { params: { path: { id } }, signal })).body.team,
    staleTime: STALE_MS,
    retry: false,
  });

/** A path that names more has the names of those that its preview meets. */
const MOST_NAMES = 60;

export function useNames(path: PathView | undefined): Names {
  const targets = useMemo(() => (path ? targetsOf(path.nodes) : []), [path]);
  const people = idsOf(targets, 'user');
  const teams = idsOf(targets, 'team');
  const members = useQueries({ queries: people.map(memberQuery), combine: found });
  const rosters = useQueries({ queries: teams.map(teamQuery), combine: found });
  return useMemo(
    () =>
      new Map<string, NamedTarget>([
        ...members.map((body) => [`user:${body.id}`, namedMember(body)] as const),
        ...rosters.map((body) => [`team:${body.id}`, namedTeam(body)] as const),
      ]),
    [members, rosters],
  );
}

const found = <Body>(results: readonly { readonly data: Body | undefined }[]): readonly Body[] =>
  results.flatMap(({ data }) => data ?? []);

const idsOf = (targets: readonly TargetView[], type: TargetView['type']): readonly string[] =>
  [...new Set(targets.flatMap((target) => (target.type === type ? [target.id] : [])))].slice(
    0,
    MOST_NAMES,
  );

const targetsOf = (nodes: readonly NodeView[]): readonly TargetView[] =>
  nodes.flatMap((node) => {
    if (node.type === 'level') return node.targets;
    return node.type === 'if_else' ? [...targetsOf(node.then), ...targetsOf(node.else)] : [];
  });

const namedMember = ({
  display_name: name,
  status,
}: Pick<Member, 'display_name' | 'status'>): NamedTarget => ({
  name,
  ...(status === 'suspended' && { state: 'suspended' }),
  ...(status === 'deprovisioned' && { state: 'removed' }),
});

const namedTeam = (team: Team): NamedTarget => ({
  name: team.name,
  memberCount: team.member_count,
  hasPolicy: team.escalation_policy.active_revision !== null,
  ...(team.archived_at !== null && { state: 'archived' }),
});

/** The first ones that match what was typed. */
export const peopleQuery = (q: string) =>
  queryOptions({
    queryKey: ['members', 'search', q],
    queryFn: async ({ signal }) => {
      const query = { status: 'active' as const, limit: 20, ...(q !== '' && { q }) };
      return (await call('get', '/api/v1/members', { params: { query }, signal })).body.members;
    },
    staleTime: STALE_MS,
  });

/** The active members of a team that match what was typed. */
export const membersQuery = (teamId: string, q: string) =>
  queryOptions({
    queryKey: ['teams', 'members', teamId, q],
    queryFn: async ({ signal }) => {
      const params = { path: { id: teamId } };
      const { members } = (await call('get', '/api/v1/teams/{id}', { params, signal })).body;
      return members
        .filter(({ status, display_name: name, email }) => {
          const isFound = `${name} ${email}`.toLowerCase().includes(q.toLowerCase());
          return status === 'active' && isFound;
        })
        .map(({ membership_id: id, ...member }) => ({ ...member, id }));
    },
    staleTime: STALE_MS,
  });

export const teamsQuery = (q: string) =>
  queryOptions({
    queryKey: ['teams', 'search', q],
    queryFn: async ({ signal }) => {
      const query = { limit: 20, ...(q !== '' && { q }) };
      return (await call('get', '/api/v1/teams', { params: { query }, signal })).body.teams;
    },
    staleTime: STALE_MS,
  });

const SAMPLE = 100;

/** Of the requests that were made last, on any path: how many seconds they had. */
export const lastTimeoutsQuery = queryOptions({
  queryKey: ['requests', 'timeouts'],
  queryFn: async ({ signal }) => {
    const query = { limit: SAMPLE, view: 'summary' as const };
    const { body } = await call('get', '/api/v1/requests', { params: { query }, signal });
    return body.requests.map(({ created_at: created, deadline_at: deadline }) =>
      Math.round((Date.parse(deadline) - Date.parse(created)) / 1_000),
    );
  },
  staleTime: 5 * STALE_MS,
  retry: false,
});
