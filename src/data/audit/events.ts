/** The append-only audit log. Insert an event in the transaction of its change. */
import { v7 } from 'uuid';
import {
  auditDataOf,
  subjectTypeOf,
  type AuditActor,
  type AuditEvent,
  type NewAuditEvent,
} from '../../domain/audit/events.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import { mapYielding } from '../../platform/event-loop.ts';
import { LongList } from '../../platform/long-list.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';

const INSERT: PreparedStatement = {
  name: 'insert-audit-events',
  sql: `
    insert into audit_events (id, organization_id, event_type, actor_type, actor_id, actor_display_name, subject_type, subject_id, data, occurred_at)
    select e.id, cast(:organization as uuid), e.event_type, e.actor_type, e.actor_id, e.actor_name, e.subject_type, e.subject_id,
           cast(e.data as json), coalesce(cast(:at as timestamptz), clock_timestamp())
      from unnest(cast(:ids as uuid[]), cast(:types as text[]), cast(:actor_types as text[]), cast(:actor_ids as text[]),
                  cast(:actor_names as text[]), cast(:subject_types as text[]), cast(:subject_ids as text[]), cast(:data as text[]))
           with ordinality as e (id, event_type, actor_type, actor_id, actor_name, subject_type, subject_id, data, place)
     order by e.place`,
};

/** `occurredAt`: the instant of the change; the database's clock when absent. */
export async function insertAuditEvents(
  db: Db,
  organizationId: string,
  { events, occurredAt }: { events: readonly NewAuditEvent[]; occurredAt?: Date },
): Promise<void> {
  if (events.length === 0) return;
  await runPrepared(db, INSERT, {
    organization: organizationId,
    at: occurredAt ?? null,
    ids: events.map(() => v7()),
    types: events.map(({ eventType }) => eventType),
    actor_types: events.map(({ actor }) => actor.type),
    actor_ids: events.map(({ actor }) => actor.id ?? null),
    actor_names: events.map(({ actor }) => actor.displayName ?? null),
    subject_types: events.map(({ eventType }) => subjectTypeOf(eventType)),
    subject_ids: events.map(({ subjectId }) => subjectId),
    data: events.map((event) => stringifyExact(auditDataOf(event))),
  });
}

interface AuditRow {
  sequence: number;
  id: string;
  eventType: string;
  actorType: AuditActor['type'];
  actorId: string | null;
  actorDisplayName: string | null;
  subjectType: string;
  subjectId: string;
  data: string;
  occurredAt: Date;
}

/** How many events one statement reads. */
const BATCH_EVENTS = 200;

interface Subject {
  readonly type: string;
  readonly id: string;
}

/** All events of one subject, oldest first. */
export async function listAuditEventsOf(
  db: Db,
  organizationId: string,
  subject: Subject,
): Promise<LongList<AuditEvent>> {
  const read = async (after: number) => await findBatch(db, organizationId, { ...subject, after });
  const first = await read(0);
  return new LongList(first, first.length < BATCH_EVENTS ? undefined : following(first, read));
}

async function* following(
  first: readonly AuditEvent[],
  read: (after: number) => Promise<readonly AuditEvent[]>,
): AsyncGenerator<readonly AuditEvent[]> {
  for (let last = first.at(-1); last !== undefined;) {
    const events = await read(last.sequence);
    yield events;
    last = events.length < BATCH_EVENTS ? undefined : events.at(-1);
  }
}

async function findBatch(
  db: Db,
  organizationId: string,
  from: Subject & { readonly after: number },
): Promise<readonly AuditEvent[]> {
  const rows = await queryRows<AuditRow>(
    db,
    `select sequence, id, event_type, actor_type, actor_id, actor_display_name, subject_type, subject_id, data, occurred_at
       from audit_events
      where organization_id = :organizationId and subject_type = :type and subject_id = :id and sequence > :after
      order by sequence limit :most`,
    { organizationId, ...from, most: BATCH_EVENTS },
  );
  return await mapYielding(rows, (row) => ({
    sequence: row.sequence,
    id: row.id,
    organizationId,
    eventType: row.eventType,
    actor: {
      type: row.actorType,
      ...(row.actorId !== null && { id: row.actorId }),
      ...(row.actorDisplayName !== null && { displayName: row.actorDisplayName }),
    },
    subjectType: row.subjectType,
    subjectId: row.subjectId,
    data: parseExact(row.data) as Record<string, unknown>,
    occurredAt: row.occurredAt,
  }));
}
