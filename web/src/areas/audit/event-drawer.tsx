/** One event: everything that was recorded, exactly, and where it stands in the chain. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { JsonText, parseExact } from '../../../../src/platform/json/exact-json.ts';
import { readSource } from '../../../../src/platform/json/source-values.ts';
import { CopyButton } from '../../shared/design/buttons/copy-button.tsx';
import { Drawer } from '../../shared/design/dialogs/drawer.tsx';
import { Instant } from '../../shared/design/instant.tsx';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { JsonView } from '../../shared/exact/json-view.tsx';
import { EventSentence, useNames, type Event } from '../../shared/page/event-sentence.tsx';
import { Failed, Loading } from '../../shared/page/states.tsx';
import { exactText } from '../../shared/text/times.ts';
import { eventQuery, type PlacedEvent } from './audit-data.ts';
import type { AuditSearch } from './audit-search.ts';
import { audit, detail as text } from './text.ts';
import classes from './audit.module.css';

interface EventDrawerProps {
  readonly id: string;
  readonly change: (search: AuditSearch) => void;
  readonly onClose: () => void;
}

export function EventDrawer({ id, change, onClose }: EventDrawerProps) {
  const event = useQuery(eventQuery(id));
  return (
    <Drawer title={text.title} onClose={onClose}>
      {event.isPending && <Loading />}
      {event.isError && <Failed error={event.error} reset={() => void event.refetch()} />}
      {event.data && <Detail event={event.data} change={change} />}
    </Drawer>
  );
}

interface DetailProps {
  readonly event: PlacedEvent;
  readonly change: (search: AuditSearch) => void;
}

function Detail({ event, change }: DetailProps) {
  const source = event.data instanceof JsonText ? event.data.text : 'null';
  const value = useMemo(() => readSource(source), [source]);
  const told: Event = useMemo(() => ({ ...event, data: parseExact(source) }), [event, source]);
  const events = useMemo(() => [told], [told]);
  const names = useNames(events);
  return (
    <div className={classes['detail']}>
      <p className={classes['sentence']}>
        <EventSentence event={told} names={names} />
      </p>
      <EventFacts event={event} change={change} />
      <h3>{text.data}</h3>
      {value && <JsonView value={value} label={text.data} />}
      <CopyButton label={text.copyId} value={event.id} />
    </div>
  );
}

function EventFacts({ event, change }: DetailProps) {
  const { actor_id: actor, actor_display_name: name = actor, subject_type: kind } = event;
  return (
    <Facts>
      <Fact label={text.at}>
        {exactText(event.occurred_at)} (
        <Instant at={event.occurred_at} as="ago" focusable={false} />)
      </Fact>
      <Fact label={text.type}>
        <code>{event.event_type}</code>
      </Fact>
      <Fact label={text.actor}>
        {name === undefined ? text.service : <ForeignText text={name} isName />}
        {actor !== undefined && (
          <span className={classes['more']}>
            <LinkButton
              onClick={() => {
                change({ actor });
              }}
            >
              {text.ofActor}
            </LinkButton>
          </span>
        )}
      </Fact>
      <Fact label={text.subject}>
        {audit.words(kind)} <ForeignText text={event.subject_id} isName />
        <span className={classes['more']}>
          <LinkButton
            onClick={() => {
              change({ kind, subject: event.subject_id });
            }}
          >
            {text.ofSubject}
          </LinkButton>
          <SubjectLink kind={kind} id={event.subject_id} />
        </span>
      </Fact>
      <Fact label={text.id}>
        <code>{event.id}</code>
      </Fact>
      <Place event={event} />
    </Facts>
  );
}

function Place({ event: { position, hash } }: Pick<DetailProps, 'event'>) {
  if (position === undefined) return <Fact label={text.position}>{text.notSealed}</Fact>;
  return (
    <>
      <Fact label={text.position}>{position}</Fact>
      <Fact label={text.hash}>
        <code>{hash}</code>
      </Fact>
    </>
  );
}

function SubjectLink({ kind, id }: { readonly kind: string; readonly id: string }) {
  switch (kind) {
    case 'approval_request':
      return (
        <Link to="/requests/$id" params={{ id }}>
          {text.open[kind]}
        </Link>
      );
    case 'agent':
      return (
        <Link to="/agents/$slug" params={{ slug: id }}>
          {text.open[kind]}
        </Link>
      );
    case 'escalation_path':
      return (
        <Link to="/paths/$pathKey" params={{ pathKey: id }}>
          {text.open[kind]}
        </Link>
      );
    case 'team_escalation_policy':
      return (
        <Link to="/teams/$teamId/policy" params={{ teamId: id }}>
          {text.open[kind]}
        </Link>
      );
    default:
      return null;
  }
}
