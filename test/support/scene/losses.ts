/**
 * Ways in which a member loses the right to decide, through the API, with force where a path asks
 * them by name.
 */
import type { ApiResponse } from '../http.ts';
import type { Cast } from './cast.ts';
import type { TestMember } from './factories.ts';
import { idsOf, TEAMS } from './teams.ts';

const PERMISSIONS = ['request.read', 'request.decide', 'request.claim'];

export interface Losses {
  readonly ways: Readonly<Record<string, (member: TestMember) => Promise<ApiResponse>>>;
  /** Replaces the member's policy with the usual permissions everywhere, except for these terms. */
  readonly withPermissions: (member: TestMember, terms: object) => Promise<ApiResponse>;
  /** Replaces the members of a team. */
  readonly roster: (team: string, ...members: readonly TestMember[]) => Promise<ApiResponse>;
}

export function lossesIn({ app, owner, agent }: Pick<Cast, 'app' | 'owner' | 'agent'>): Losses {
  const { browser } = owner;
  const at = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;
  const policyOf = async (member: TestMember) => {
    const { membershipId: membership_id } = member;
    const [id = ''] = await app
      .db('permission_policies')
      .where({ membership_id })
      .pluck<string[]>('id');
    return `${at(member)}/permission_policies/${id}`;
  };
  const withPermissions: Losses['withPermissions'] = async (member, terms) => {
    const usual = { scope_kind: 'organization', resource_ids: [], permissions: PERMISSIONS };
    const body = { ...usual, revision: 1, ...terms };
    return await browser.call('PUT', await policyOf(member), { body });
  };
  return {
    withPermissions,
    ways: {
      suspended: (member) =>
        browser.call('PATCH', at(member), { body: { status: 'suspended', force: true } }),
      removed: (member) => browser.delete(`${at(member)}?force=true`),
      'stripped of every permission': async (member) => browser.delete(await policyOf(member)),
      'left with reading': (member) => withPermissions(member, { permissions: ['request.read'] }),
      'limited to another agent': async (member) => {
        const { slug } = await agent();
        return await withPermissions(member, { scope_kind: 'agent', resource_ids: [slug] });
      },
    },
    roster: (team, ...members) =>
      browser.call('PUT', `${TEAMS}/${team}/members`, {
        body: { membership_ids: idsOf(...members), force: true },
      }),
  };
}
