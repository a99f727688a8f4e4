/** The append-only audit log. Insert it in the transaction of the change it tells of. */
import { v7 } from 'uuid';
import { auditDataOf, subjectTypeOf, type AuditActor, type AuditEvent, type NewAuditEvent } from '../domain/audit.ts';
import { parseExact, stringifyExact } from '../platform/exact-json.ts';
import type { Db } from '../platform/postgres.ts';

/** `occurredAt`: the instant of the change; the database's clock when absent. */
export async function insertAuditEvents(
  db: Db,
  organizationId: string,
  { events, occurredAt }: { events: readonly NewAuditEvent[]; occurredAt?: Date },
): Promise<void> {
  if (events.length === 0) return;
  await db('audit_events').insert(
    events.map((event) => ({
      id: v7(),
      organization_id: organizationId,
      event_type: event.eventType,
      actor_type: event.actor.type,
      actor_id: event.actor.id ?? null,
      actor_display_name: event.actor.displayName ?? null,
      subject_type: subjectTypeOf(event.eventType),
      subject_id: event.subjectId,
      data: stringifyExact(auditDataOf(event)),
      occurred_at: occurredAt ?? db.raw('clock_timestamp()'),
    })),
  );
}

interface AuditRow {
  sequence: number;
  id: string;
  event_type: string;
  actor_type: AuditActor['type'];
  actor_id: string | null;
  actor_display_name: string | null;
  subject_type: string;
  subject_id: string;
  data: string;
  occurred_at: Date;
}

/** Everything that happened to one subject, oldest first. */
export async function listAuditEventsOf(
  db: Db,
  organizationId: string,
  subject: { readonly type: string; readonly id: string },
): Promise<AuditEvent[]> {
  const rows = (await db('audit_events')
    .where({ organization_id: organizationId, subject_type: subject.type, subject_id: subject.id })
    .orderBy('sequence')
    .select(
      'sequence',
      'id',
      'event_type',
      'actor_type',
      'actor_id',
      'actor_display_name',
      'subject_type',
      'subject_id',
      'data',
      'occurred_at',
    )) as AuditRow[];
  return rows.map((row) => ({
    sequence: row.sequence,
    id: row.id,
    organizationId,
    eventType: row.event_type,
    actor: {
      type: row.actor_type,
      ...(row.actor_id !== null && { id: row.actor_id }),
      ...(row.actor_display_name !== null && { displayName: row.actor_display_name }),
    },
    subjectType: row.subject_type,
    subjectId: row.subject_id,
    data: parseExact(row.data) as Record<string, unknown>,
    occurredAt: row.occurred_at,
  }));
}
