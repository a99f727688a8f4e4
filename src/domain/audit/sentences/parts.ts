/** What the sentences of audit events are made of. */
import type { AuditActorType } from '../filters.ts';

/** What a sentence names by its id, so that a reader can show its name of today, and lead to it. */
export interface Reference {
  readonly kind:
    | 'member'
    | 'team'
    | 'agent'
    | 'api_key'
    | 'invitation'
    | 'request'
    | 'escalation_path'
    | 'webhook_endpoint'
    | 'notification_channel';
  readonly id: string;
}

/** Our words, or a name from outside. */
export type SentencePart = string | { readonly name: string };

/** The names of an event are those of then. */
export type EventPart = SentencePart | Reference;

export interface ToldEvent {
  readonly eventType: string;
  readonly actorType: AuditActorType;
  readonly actorId?: string | undefined;
  /** The name of the actor then. */
  readonly actorName?: string | undefined;
  readonly subjectId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What comes after the actor, and a space. */
export type Tell = (event: ToldEvent) => readonly EventPart[];

export type Sentences = Readonly<Record<string, Tell>>;

export const UNKNOWN = '?';

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const named = (value: unknown): EventPart => ({ name: textOf(value) ?? UNKNOWN });

export const numberOf = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : UNKNOWN;

export const plain =
  (words: string): Tell =>
  () => [words];

/** `words` and the member of the data that has the name. */
export const about =
  (words: string, member: string): Tell =>
  ({ data }) => [words, named(data[member])];

/** `words` and the subject of the event. */
export const onSubject =
  (words: string, kind: Reference['kind'], after = ''): Tell =>
  ({ subjectId: id }) => [words, { kind, id }, ...(after === '' ? [] : [after])];

export const renamed =
  (what: string): Tell =>
  ({ data: { from, to } }) => [`renamed the ${what} `, named(from), ' to ', named(to)];

/** `2 credentials`; nothing for none. */
export const counted = (count: unknown, one: string, many = `${one}s`): readonly string[] =>
  typeof count === 'number' && count > 0 ? [`${count} ${count === 1 ? one : many}`] : [];

export const countedItems = (items: unknown, one: string, many?: string): readonly string[] =>
  counted(Array.isArray(items) ? items.length : 0, one, many);

/** `, which ended 1 credential, 2 requests`. */
export const whichEnded = (ended: readonly string[]): readonly string[] =>
  ended.length > 0 ? [`, which ended ${ended.join(', ')}`] : [];

/** ` (wrong password)` by a table of ours. A value that it lacks is of another version, and is left out. */
export const because = (reasons: Readonly<Record<string, string>>, reason: unknown): string => {
  const known = typeof reason === 'string' ? reasons[reason] : undefined;
  return known === undefined ? '' : ` (${known})`;
};

/** `Ada, Grace`. */
export const listed = (names: readonly unknown[]): readonly EventPart[] =>
  names.flatMap((name, index) => (index === 0 ? [named(name)] : [', ', named(name)]));
