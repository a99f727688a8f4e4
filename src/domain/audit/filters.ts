/** Which audit events a reader wants. Reading and export share it. */
export const AUDIT_ACTOR_TYPES = ['human', 'agent', 'system', 'api_key'] as const;

export type AuditActorType = (typeof AUDIT_ACTOR_TYPES)[number];

/** `human`: sent to people. `blocked`: a call that a gateway refused. */
export const AUDIT_OUTCOMES = [
  'approved',
  'denied',
  'expired',
  'cancelled',
  'human',
  'blocked',
] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** The least and most characters of `q`. */
export const AUDIT_QUERY_LENGTH = { min: 2, max: 200 } as const;

/** With a text to look for, counting stops here. */
export const MOST_COUNTED_EVENTS = 10_000;

/** Counting events that wait for their seal stops here. */
export const MOST_UNSEALED = 1_000;

/** Stands between the columns where `q` is looked for in all of them at once, so `q` cannot have it. */
export const COLUMN_SEPARATOR = '\u0001';

/** Every member that is there must hold. */
export interface AuditFilter {
  /** Text that some column of the event contains, ignoring case. */
  readonly q?: string | undefined;
  /** Any of these. */
  readonly eventTypes?: readonly string[] | undefined;
  readonly actorType?: AuditActorType | undefined;
  /** A membership, or the user behind it: both find what either did. Or the slug of an agent, or the id of a key. */
  readonly actorId?: string | undefined;
  readonly subjectType?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Inclusive. */
  readonly fromAt?: Date | undefined;
  /** Exclusive. */
  readonly toAt?: Date | undefined;
}

/** As a reader wrote it in a query, without what is absent. */
export function printedFilter(filter: AuditFilter): Readonly<Record<string, unknown>> {
  const members = {
    q: filter.q,
    event_type: filter.eventTypes,
    actor_type: filter.actorType,
    actor_id: filter.actorId,
    subject_type: filter.subjectType,
    subject_id: filter.subjectId,
    outcome: filter.outcome,
    from_at: filter.fromAt?.toISOString(),
    to_at: filter.toAt?.toISOString(),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
