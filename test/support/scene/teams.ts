/** Rosters of teams through the API, and the audit log of a team. */
import type { TestApp } from '../app.ts';
import type { TestMember } from './factories.ts';
import type { ApiResponse, HttpClient } from '../http.ts';

export const TEAMS = '/api/v1/teams';

export async function setMembers(
  client: HttpClient,
  teamId: string,
  membershipIds: readonly unknown[],
): Promise<ApiResponse> {
  return await client.call('PUT', `${TEAMS}/${teamId}/members`, {
    body: { membership_ids: membershipIds },
  });
}

/** The ids of the members that the reader sees, sorted. */
export async function roster(reader: TestMember, teamId: string): Promise<string[]> {
  const { body } = await reader.http.get(`${TEAMS}/${teamId}`);
  return (body as unknown as { members: { membership_id: string }[] }).members
    .map((member) => member.membership_id)
    .sort();
}

export const idsOf = (...members: readonly TestMember[]): string[] =>
  members.map((member) => member.membershipId);

export const codeOf = (response: ApiResponse) => ({
  status: response.status,
  code: response.body['error']?.['code'] as unknown,
});

/** Oldest first. */
export async function teamEvents(
  app: TestApp,
  teamId: string,
): Promise<{ event_type: string; data: unknown; actor_id: string }[]> {
  const rows = await app
    .db('audit_events')
    .where({ subject_type: 'team', subject_id: teamId })
    .orderBy('sequence')
    .select<{ event_type: string; data: string; actor_id: string }[]>(
      'event_type',
      'data',
      'actor_id',
    );
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
}
