/** Suspending, reactivating and removing members through the API, and what the database then has. */
import type { ApiResponse } from '../http.ts';
import type { TestApp } from '../app.ts';
import type { TestMember } from './factories.ts';

/** A policy of an owner. */
export const OWNER_POLICY = { scope_kind: 'organization', is_owner: true } as const;

export const memberPath = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;

export const patch = (who: TestMember, target: TestMember, body: unknown): Promise<ApiResponse> =>
  who.browser.call('PATCH', memberPath(target), { body });

export const suspend = (who: TestMember, target: TestMember, force?: boolean) =>
  patch(who, target, { status: 'suspended', force });

export const reactivate = (who: TestMember, target: TestMember) =>
  patch(who, target, { status: 'active' });

export const remove = (
  who: TestMember,
  target: TestMember,
  force?: boolean,
): Promise<ApiResponse> => who.browser.delete(`${memberPath(target)}${force ? '?force=true' : ''}`);

/** The status that the database has. */
export const statusOf = async (app: TestApp, { membershipId }: TestMember) =>
  (await app.db('memberships').where({ id: membershipId }).pluck<string[]>('status'))[0];

/** The audit events about the member, oldest first. */
export async function memberEvents(app: TestApp, { membershipId }: TestMember) {
  const rows = await app
    .db('audit_events')
    .where({ subject_id: membershipId })
    .orderBy('sequence')
    .select<{ event_type: string; data: string }[]>('event_type', 'data');
  return rows.map(({ event_type, data }) => ({
    type: event_type,
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}
