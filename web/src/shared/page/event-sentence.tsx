/** An audit event as a sentence. Names come from outside; what has a page is a link to it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { eventSentence } from '../../../../src/domain/audit/event-sentences.ts';
import type {
  Reference,
  EventPart,
  ToldEvent,
} from '../../../../src/domain/audit/sentences/parts.ts';
import type { components } from '../api/openapi.d.ts';
import { namesQuery } from '../api/names.ts';
import { ForeignText } from '../exact/foreign-text.tsx';
import { PersonLink, TeamLink } from './person-links.tsx';

export type Event = components['schemas']['AuditEvent'];

const dataOf = (data: unknown): ToldEvent['data'] =>
  typeof data === 'object' && data !== null ? (data as ToldEvent['data']) : {};

export const toldEvent = (event: Event): ToldEvent => ({
  eventType: event.event_type,
  actorType: event.actor_type,
  actorId: event.actor_id,
  actorName: event.actor_display_name,
  subjectId: event.subject_id,
  data: dataOf(event.data),
});

/** The names of today of what these sentences refer to, by id. Those of the page before, while those of the next one are read. */
export function useNames(events: readonly Event[]): ReadonlyMap<string, string> | undefined {
  const ids = idsIn(events);
  return useQuery({
    ...namesQuery(ids),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  }).data;
}

/** The ids in these sentences that have a name of today. */
const idsIn = (events: readonly Event[]): readonly string[] => [
  ...new Set(
    events.flatMap((event) => [
      ...(event.actor_id !== undefined && isByPerson(event) ? [event.actor_id] : []),
      ...eventSentence(toldEvent(event)).flatMap((part) =>
        isReference(part) && NAMED.has(part.kind) ? [part.id] : [],
      ),
    ]),
  ),
];

const NAMED: ReadonlySet<Reference['kind']> = new Set(['member', 'team', 'agent', 'api_key']);

const isReference = (part: EventPart): part is Reference =>
  typeof part === 'object' && 'id' in part;

/** UUIDs are long, and their beginnings are times that events share. */
const shortId = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? `…${id.slice(-8)}` : id);

interface EventSentenceProps {
  readonly event: Event;
  /** The names of today, by id. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

export function EventSentence({ event, names }: EventSentenceProps) {
  return (
    <span>
      {eventSentence(toldEvent(event)).map((part, index) => {
        if (typeof part === 'string') return part;
        return (
          <strong key={index}>
            {isReference(part) ? (
              <Referred reference={part} name={names?.get(part.id)} />
            ) : (
              <Named name={part.name} actor={index === 0 ? actorOf(event, names) : undefined} />
            )}
          </strong>
        );
      })}
    </span>
  );
}

/** Who did it, where they have a page: people whose ids have a name of today, and agents. */
function actorOf(event: Event, names: EventSentenceProps['names']): Reference | undefined {
  const { actor_type: type, actor_id: id } = event;
  if (id === undefined) return undefined;
  if (type === 'agent') return { kind: 'agent', id };
  return isByPerson(event) && names?.has(id) === true ? { kind: 'member', id } : undefined;
}

/** A personal key acts for its member. An organization key is the actor itself. */
const isByPerson = ({ actor_type: type, data }: Event): boolean =>
  type === 'human' || (type === 'api_key' && dataOf(data)['actor_api_key_id'] !== undefined);

/** The name is that of then. */
function Named({ name, actor }: { readonly name: string; readonly actor: Reference | undefined }) {
  return actor ? <Referred reference={actor} name={name} /> : <ForeignText text={name} isName />;
}

interface ReferredProps {
  readonly reference: Reference;
  readonly name: string | undefined;
}

function Referred({ reference: { kind, id }, name }: ReferredProps) {
  const shown = <ForeignText text={name ?? shortId(id)} isName />;
  switch (kind) {
    case 'request':
      return (
        <Link to="/requests/$id" params={{ id }}>
          {shown}
        </Link>
      );
    case 'agent':
      return (
        <Link to="/agents/$slug" params={{ slug: id }}>
          {shown}
        </Link>
      );
    case 'escalation_path':
      return (
        <Link to="/paths/$pathKey" params={{ pathKey: id }}>
          {shown}
        </Link>
      );
    case 'member':
      return <PersonLink id={id} name={name ?? shortId(id)} />;
    case 'team':
      return <TeamLink id={id} name={name ?? shortId(id)} />;
    case 'webhook_endpoint':
      return (
        <Link to="/endpoints/$endpointKey" params={{ endpointKey: id }}>
          {shown}
        </Link>
      );
    case 'notification_channel':
      return <Link to="/settings/channels">{shown}</Link>;
    case 'invitation':
      return (
        <Link to="/people/invitations" search={{ show: 'all' }}>
          {shown}
        </Link>
      );
    case 'api_key':
      return (
        <Link to="/settings/keys/$id" params={{ id }}>
          {shown}
        </Link>
      );
  }
}
