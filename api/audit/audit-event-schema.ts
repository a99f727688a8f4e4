/** An audit event, as the log and the timeline of a request show it. */
import { z } from 'zod';
import type { StoredEvent } from '../../src/domain/audit/chain.ts';
import type { AuditEvent } from '../../src/domain/audit/events.ts';
import { AUDIT_ACTOR_TYPES } from '../../src/domain/audit/filters.ts';
import type { getAuditEvent } from '../../src/services/audit/audit-events.ts';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../src/platform/json/exact-values.ts';
import { timestamp, uuid } from '../http/schema.ts';

export const auditEventSchema = z
  .strictObject({
    sequence: z.int().meta({ description: 'Later events have higher numbers.' }),
    id: uuid('Identifies the event.'),
    organization_id: uuid('The organization.'),
    event_type: z.string().meta({ description: 'For example `approval_request.routed`.' }),
    actor_type: z.enum(AUDIT_ACTOR_TYPES).meta({ description: 'What kind of actor did it.' }),
    actor_id: z.string().optional().meta({
      description: 'The membership, organization key or agent slug; absent for the service itself.',
    }),
    actor_display_name: z.string().optional().meta({ description: "The actor's name then." }),
    subject_type: z.string().meta({ description: 'What kind of object it happened to.' }),
    subject_id: z.string().meta({ description: 'Which object.' }),
    data: z
      .custom<ExactValue | JsonText>()
      .meta({ description: 'Specific to the event type.', override: {} }),
    occurred_at: timestamp('When it happened.'),
  })
  .meta({ id: 'AuditEvent', description: 'One entry of the append-only log.' });

/** One event by its id: also its place in the chain. */
export const placedEventSchema = auditEventSchema
  .extend({
    position: z.int().min(1).optional().meta({
      description: 'Its position in the chain of the organization; absent until it is sealed.',
    }),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({ description: 'The hash of its entry; 64 hexadecimal digits, absent as `position`.' }),
  })
  .meta({ id: 'PlacedAuditEvent', description: 'An audit event and its place in the chain.' });

export function presentPlacedEvent({
  position,
  hash,
  ...event
}: Awaited<ReturnType<typeof getAuditEvent>>) {
  return {
    ...presentStoredEvent(event),
    position: position ?? undefined,
    hash: hash?.toString('hex'),
  };
}

export function presentAuditEvent(event: AuditEvent) {
  return {
    sequence: event.sequence,
    id: event.id,
    organization_id: event.organizationId,
    event_type: event.eventType,
    actor_type: event.actor.type,
    actor_id: event.actor.id,
    actor_display_name: event.actor.displayName,
    subject_type: event.subjectType,
    subject_id: event.subjectId,
    data: event.data,
    occurred_at: event.occurredAt,
  };
}

/** Prints the data as it is stored. */
export function presentStoredEvent(event: StoredEvent) {
  return {
    sequence: event.sequence,
    id: event.id,
    organization_id: event.organizationId,
    event_type: event.eventType,
    actor_type: event.actorType,
    actor_id: event.actorId ?? undefined,
    actor_display_name: event.actorDisplayName ?? undefined,
    subject_type: event.subjectType,
    subject_id: event.subjectId,
    data: new JsonText(event.data),
    occurred_at: event.occurredAt,
  };
}
