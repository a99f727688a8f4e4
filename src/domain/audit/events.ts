/** Audit events: every notable action, written in the transaction of the change and never changed afterwards. */
import type { Principal, ProductPrincipal } from '../people/authorization.ts';
import type { AuditEventType } from './event-sentences.ts';
import type { AuditActorType } from './filters.ts';

/** Who did it; `id` is absent for the service itself. */
export interface AuditActor {
  readonly type: AuditActorType;
  readonly id?: string;
  readonly displayName?: string;
  /** The personal key a member acted with; `id` is then their membership. */
  readonly apiKeyId?: string;
}

/** `created`, where there is `agent.created`. */
export type VerbOf<Subject extends string> = AuditEventType extends infer Type
  ? Type extends `${Subject}.${infer Verb}`
    ? Verb
    : never
  : never;

export interface NewAuditEvent {
  /** `<subject_type>.<past verb>`, for example `agent.created`. Each has its sentence in `sentences/`. */
  readonly eventType: AuditEventType;
  readonly actor: AuditActor;
  readonly subjectId: string;
  /** Specific to the event type. Never a secret, never a request's arguments. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface AuditEvent extends Omit<NewAuditEvent, 'eventType'> {
  /** A type of another version may be unknown. */
  readonly eventType: string;
  readonly sequence: number;
  readonly id: string;
  readonly organizationId: string;
  readonly subjectType: string;
  readonly occurredAt: Date;
}

export const SYSTEM: AuditActor = { type: 'system' };

/** An event on a request whose actor is the service itself. */
export function requestEvent(
  requestId: string,
  verb: VerbOf<'approval_request'>,
  data: Readonly<Record<string, unknown>>,
): NewAuditEvent {
  return { eventType: `approval_request.${verb}`, actor: SYSTEM, subjectId: requestId, data };
}

/** The actor of a call. A member acts as themselves; with a personal key the actor's type is `api_key`. A fleet acts as its agent. */
export function actorOf(principal: Principal): AuditActor {
  if (principal.kind === 'agent' || principal.kind === 'provisioner')
    return { type: 'agent', id: principal.agentSlug, displayName: principal.agentName };
  if (principal.kind === 'organization_key')
    return { type: 'api_key', id: principal.keyId, displayName: principal.name };
  const { via } = principal;
  return via.kind === 'api_key'
    ? { ...personOf(principal), type: 'api_key', apiKeyId: via.keyId }
    : personOf(principal);
}

/** The stored data of an event. `actor_api_key_id` names the personal key; an organization key is the actor itself. */
export function auditDataOf({
  actor,
  data = {},
}: Pick<NewAuditEvent, 'actor' | 'data'>): Readonly<Record<string, unknown>> {
  return actor.apiKeyId === undefined ? data : { ...data, actor_api_key_id: actor.apiKeyId };
}

/** The id recorded as the author of a change: the membership, or the organization key. */
export function actorIdOf(principal: ProductPrincipal): string {
  return principal.kind === 'member' ? principal.membershipId : principal.keyId;
}

/** A member who acts by signing in or out, before or without a principal. */
export function personOf({
  membershipId,
  displayName,
}: {
  readonly membershipId: string;
  readonly displayName: string;
}): AuditActor {
  return { type: 'human', id: membershipId, displayName };
}

export function subjectTypeOf(eventType: string): string {
  return eventType.slice(0, eventType.indexOf('.'));
}
