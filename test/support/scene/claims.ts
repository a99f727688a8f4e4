/** Claims through the API, and their state in the database and the timeline. */
import type { TestApp } from '../app.ts';
import type { ApiResponse, HttpClient, Json } from '../http.ts';

const at = (id: string) => `/api/v1/requests/${id}/claim`;

export const claim = async (client: HttpClient, id: string): Promise<ApiResponse> =>
  await client.post(at(id));
export const release = async (client: HttpClient, id: string): Promise<ApiResponse> =>
  await client.delete(at(id));

/** The claim, which must have succeeded. */
export async function claimed(client: HttpClient, id: string): Promise<Json> {
  const response = await claim(client, id);
  if (response.status !== 200) throw new Error(`not claimed: ${response.text}`);
  return response.body['claim'] ?? response.body;
}

/**
 * The event types of the timeline, without their subject: `claimed`, `level_notified`, … oldest
 * first.
 */
export async function verbsOf(app: TestApp, id: string): Promise<string[]> {
  const types = await app
    .db('audit_events')
    .where({ subject_id: id })
    .orderBy('sequence')
    .pluck<string[]>('event_type');
  return types.map((type) => type.replace('approval_request.', ''));
}

/** The row's own clock reaches the end of the claim, and no writer has noticed. */
export async function reachLapse(app: TestApp, id: string): Promise<Date> {
  const { expires_at: end } = await app
    .db('claims')
    .where({ request_id: id })
    .whereNull('ended_at')
    .first<{ expires_at: Date }>('expires_at');
  await app.db('approval_requests').where({ id }).update({ last_at: end });
  return end;
}

/** Ids of the members whose claims of the request have not ended. */
export async function holdersOf(app: TestApp, id: string): Promise<string[]> {
  return await app
    .db('claims')
    .where({ request_id: id })
    .whereNull('ended_at')
    .pluck<string[]>('membership_id');
}
