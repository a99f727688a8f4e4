/** What the timeline of a request adds to its audit events, which never change. */
import type { AuditEvent } from '../audit/events.ts';
import type { UnreachedReason } from './engine/unreached.ts';
import type { NotifiedMember } from './engine/view.ts';

/** `unreached`: those of the people this event notified that no message reached, and why. */
export interface TimelineEvent extends AuditEvent {
  readonly unreached?: readonly UnreachedReason[];
}

/** Where events that notify people name them. */
const PEOPLE: Readonly<Record<string, (data: NonNullable<AuditEvent['data']>) => unknown>> = {
  'approval_request.level_notified': (data) => [data],
  'approval_request.unreachable': ({ told }) => told,
  'approval_request.claim_lapsed': ({ told }) => told,
  'approval_request.reviewers_added': ({ added }) => added,
};

/** For the events of one request. */
export function timelineOf(
  notified: readonly NotifiedMember[],
): (event: AuditEvent) => TimelineEvent {
  const keyOf = (at: Date, membershipId: string) => `${at.getTime()} ${membershipId}`;
  const failures = new Map(
    notified.flatMap(({ at, membershipId, unreached }) =>
      unreached ? [[keyOf(at, membershipId), unreached] as const] : [],
    ),
  );
  return (event) => {
    const unreached = peopleOf(event).flatMap((membershipId) =>
      (failures.get(keyOf(event.occurredAt, membershipId)) ?? []).map((failure) => ({
        membershipId,
        ...failure,
      })),
    );
    return unreached.length > 0 ? { ...event, unreached } : event;
  };
}

function peopleOf({ eventType, data }: AuditEvent): readonly string[] {
  const people = data && PEOPLE[eventType]?.(data);
  return (Array.isArray(people) ? (people as unknown[]) : []).flatMap((person) => {
    const { membership_id: id } = (person ?? {}) as Readonly<Record<string, unknown>>;
    return typeof id === 'string' ? [id] : [];
  });
}
