/**
 * What an audit event says, as a sentence. Names are data: they stay apart from our words, so that each reader can mark
 * them. These sentences are also the catalogue of events: a type without a sentence cannot be recorded.
 */
import { ACCESS_SENTENCES } from './sentences/access.ts';
import { AGENT_SENTENCES } from './sentences/agents.ts';
import { DOCUMENT_SENTENCES } from './sentences/documents.ts';
import type { EventPart, Sentences, ToldEvent } from './sentences/parts.ts';
import { PEOPLE_SENTENCES } from './sentences/people.ts';
import { REQUEST_SENTENCES } from './sentences/requests.ts';
import { SETTINGS_SENTENCES } from './sentences/settings.ts';

const CATALOGUE = {
  ...REQUEST_SENTENCES,
  ...AGENT_SENTENCES,
  ...DOCUMENT_SENTENCES,
  ...PEOPLE_SENTENCES,
  ...ACCESS_SENTENCES,
  ...SETTINGS_SENTENCES,
} as const satisfies Sentences;

export type AuditEventType = keyof typeof CATALOGUE;

export const AUDIT_EVENT_TYPES = Object.keys(CATALOGUE) as unknown as readonly AuditEventType[];

const SENTENCES: Readonly<Partial<Sentences>> = CATALOGUE;

/** Who did what. An event of an unknown type, of another version, is told by the words of its type. */
export function eventSentence(event: ToldEvent): readonly EventPart[] {
  const told = SENTENCES[event.eventType]?.(event);
  const parts = [...actorOf(event), ' ', ...(told ?? [typeInWords(event.eventType)])];
  return parts.filter((part) => part !== '');
}

/** `agent.created` as `agent created`. */
export const typeInWords = (eventType: string): string => eventType.replaceAll(/[._]/g, ' ');

function actorOf({ actorType, actorId, actorName }: ToldEvent): readonly EventPart[] {
  if (actorType === 'system') return ['Countersign'];
  const name = { name: actorName ?? actorId ?? '?' };
  return actorType === 'api_key' ? [name, ' (with an API key)'] : [name];
}

/** For readers that show text alone. Quotes tell names from our words, so names have none of them. */
export function sentenceText(parts: readonly EventPart[]): string {
  const quoted = (text: string) => `“${text.replaceAll(/[“”]/g, '"')}”`;
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return quoted('name' in part ? part.name : part.id);
    })
    .join('');
}

const AGENT_SUBJECTS =
  /^(?:agent|agent_instance|agent_credential|agent_provisioner|agent_tool|tool_access)\./;

/** The events that are about one agent. */
export const AGENT_EVENT_TYPES: readonly AuditEventType[] = AUDIT_EVENT_TYPES.filter((type) =>
  AGENT_SUBJECTS.test(type),
);

/** Whether such an event is about the agent. */
export function isAboutAgent(
  { eventType, subjectId, data }: Pick<ToldEvent, 'eventType' | 'subjectId' | 'data'>,
  slug: string,
): boolean {
  const isItself = eventType.startsWith('agent.') || eventType.startsWith('tool_access.');
  return (isItself ? subjectId : data['agent_slug']) === slug;
}
