/** What tests of reading the audit log share: a hosted scene, events as one likes, and whole lists. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../../src/platform/postgres.ts';
import type { HttpClient, Json } from '../../support/http.ts';

export const HOSTED = { environment: { COUNTERSIGN_EDITION: 'hosted' } };

export interface WrittenEvent {
  readonly eventType: string;
  readonly actorType?: 'human' | 'agent' | 'system' | 'api_key';
  readonly actorId?: string | null;
  readonly actorDisplayName?: string | null;
  readonly subjectType?: string;
  readonly subjectId?: string;
  /** JSON. */
  readonly data?: string;
  readonly occurredAt?: Date;
}

/** Writes events as they are, and returns their ids. */
export async function write(
  db: Db,
  organizationId: string,
  events: readonly WrittenEvent[],
): Promise<string[]> {
  const rows = events.map((event) => ({
    id: randomUUID(),
    organization_id: organizationId,
    event_type: event.eventType,
    actor_type: event.actorType ?? 'system',
    actor_id: event.actorId ?? null,
    actor_display_name: event.actorDisplayName ?? null,
    subject_type: event.subjectType ?? event.eventType.split('.')[0],
    subject_id: event.subjectId ?? 'some',
    data: event.data ?? '{}',
    occurred_at: event.occurredAt ?? new Date(),
  }));
  // One statement for each: their sequences have the order of the list.
  for (const row of rows) await db('audit_events').insert(row);
  return rows.map(({ id }) => id);
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export function auditPath(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of typeof value === 'string' ? [value] : (value ?? []))
      search.append(name, each);
  return `/api/v1/audit?${search.toString()}`;
}

/** All pages of a list. */
export async function readAll(
  http: HttpClient,
  query: Query,
  betweenPages: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly events: readonly Json[]; readonly totals: readonly number[] }> {
  const events: Json[] = [];
  const totals: number[] = [];
  for (let cursor: string | undefined; ;) {
    const { status, body, text } = await http.get(auditPath({ ...query, cursor }));
    if (status !== 200) throw new Error(text);
    events.push(...(body['events'] ?? []));
    totals.push(Number(body['total_count']));
    if (body['next_cursor'] === undefined) return { events, totals };
    cursor = String(body['next_cursor']);
    await betweenPages();
  }
}
