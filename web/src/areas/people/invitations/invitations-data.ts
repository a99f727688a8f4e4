/** What the page of invitations reads and sends. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call, type BodyOf } from '../../../shared/api/api.ts';
import { listPages } from '../../../shared/api/lists.ts';
import type { InvitationsSearch } from '../people-search.ts';
import { readPeopleAgain } from '../people-data.ts';
import type { Known } from './invitees.ts';

export type Invitation = BodyOf<'/api/v1/invitations', 'get'>['invitations'][number];

const PAGE = 50;

export const invitationsQuery = ({ q, show }: InvitationsSearch) =>
  listPages({
    name: ['invitations', 'list'],
    filter: { q, show },
    read: async (page, signal) => {
      const query = {
        limit: PAGE,
        ...(show !== 'all' && { status: show ?? ('pending' as const) }),
        ...(q !== undefined && { q }),
        ...page,
      };
      return (await call('get', '/api/v1/invitations', { params: { query }, signal })).body;
    },
  });

/** More would take long. The service refuses the others by itself. */
const MOST_PAGES = 4;
const MOST = 500;

/** All pages of a list, as far as that is quick. */
async function readPages<Page extends { readonly next_cursor?: string | undefined }>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page>,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined; pages.length < MOST_PAGES;) {
    const page = await read(cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  return pages;
}

const inLowerCase = (emails: readonly string[]): ReadonlySet<string> =>
  new Set(emails.map((each) => each.toLowerCase()));

/** Who need not be invited, as far as the reader may know. */
export const knownQuery = (mayReadMembers: boolean) =>
  queryOptions({
    queryKey: ['invitations', 'known', mayReadMembers],
    queryFn: async ({ signal }): Promise<Known> => {
      const members = mayReadMembers
        ? await readPages(async (cursor) => {
            const params = { query: { limit: MOST, ...cursor } };
            return (await call('get', '/api/v1/members', { params, signal })).body;
          })
        : [];
      const invitations = await readPages(async (cursor) => {
        const params = { query: { limit: MOST, status: 'pending' as const, ...cursor } };
        return (await call('get', '/api/v1/invitations', { params, signal })).body;
      });
      const present = members
        .flatMap((page) => page.members)
        .filter(({ status }) => status !== 'deprovisioned');
      return {
        members: inLowerCase(present.map(({ email }) => email)),
        invited: inLowerCase(
          invitations.flatMap((page) => page.invitations).map(({ email }) => email),
        ),
      };
    },
  });

/** The agents to choose from. */
export const agentChoicesQuery = queryOptions({
  queryKey: ['agents', 'choices'],
  queryFn: async ({ signal }) => {
    const params = { query: { status: 'live' as const, limit: 200 } };
    const { body } = await call('get', '/api/v1/agents', { params, signal });
    return body.agents.map(({ slug, name }) => ({ slug, name }));
  },
});

export const REVIEWS = ['request.read', 'request.decide', 'request.claim'] as const;

export type Role = 'reviewer' | 'agents' | 'none' | 'owner';

export interface Offer {
  readonly role: Role;
  /** For the role that is limited to agents. */
  readonly agents: readonly string[];
}

function policiesFor({ role, agents }: Offer) {
  if (role === 'none') return [];
  const isLimited = role === 'agents';
  return [
    {
      scope_kind: isLimited ? ('agent' as const) : ('organization' as const),
      resource_ids: isLimited ? [...agents] : [],
      permissions: role === 'owner' ? [] : [...REVIEWS],
      is_owner: role === 'owner',
    },
  ];
}

/** The link, where the deployment sends no email. */
export async function invite(email: string, offer: Offer): Promise<string | undefined> {
  const body = { email, permission_policies: policiesFor(offer) };
  return (await call('post', '/api/v1/invitations', { body })).body.invite_url;
}

/** The earlier link stops working. */
export async function resend({ id, email }: Pick<Invitation, 'id' | 'email'>) {
  const params = { path: { id } };
  const { body } = await call('post', '/api/v1/invitations/{id}/resend', { params });
  return { secret: body.invite_url, result: { email } };
}

export async function revoke({ id }: Pick<Invitation, 'id'>): Promise<void> {
  await call('delete', '/api/v1/invitations/{id}', { params: { path: { id } } });
}

/** Invitations take seats. */
export async function readInvitationsAgain(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['invitations'] }),
    readPeopleAgain(queries),
  ]);
}
