/** The events that the filters leave, each as a sentence. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { eventSentence, sentenceText } from '../../../../src/domain/audit/event-sentences.ts';
import { MOST_COUNTED_EVENTS } from '../../../../src/domain/audit/filters.ts';
import { Instant } from '../../shared/design/instant.tsx';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { Empty, NoMatch } from '../../shared/page/empty.tsx';
import {
  EventSentence,
  toldEvent,
  useNames,
  type Event,
} from '../../shared/page/event-sentence.tsx';
import { PagedList } from '../../shared/page/list/paged-list.tsx';
import { auditQuery } from './audit-data.ts';
import { isFiltered } from './audit-filter.ts';
import type { AuditSearch } from './audit-search.ts';
import { audit as text } from './text.ts';
import classes from './audit.module.css';

interface EventListProps {
  readonly search: AuditSearch;
  readonly change: (search: AuditSearch) => void;
  readonly show: (event: string) => void;
}

export function EventList({ search, change, show }: EventListProps) {
  const list = useInfiniteQuery(auditQuery(search));
  const total = list.data?.pages[0]?.total_count ?? 0;
  const isCut = search.q !== undefined && total >= MOST_COUNTED_EVENTS;
  return (
    <PagedList
      list={list}
      rowsOf={(page) => page.events}
      none={<NoEvents search={search} change={change} />}
    >
      {(events) => <Events title={text.count(total, isCut)} {...{ events, show }} />}
    </PagedList>
  );
}

interface EventsProps extends Pick<EventListProps, 'show'> {
  readonly title: string;
  readonly events: readonly Event[];
}

function Events({ title, events, show }: EventsProps) {
  const names = useNames(events);
  return (
    <Panel title={title}>
      <ol className={classes['events']} aria-label={text.list}>
        {events.map((event) => (
          <li key={event.id}>
            <Instant at={event.occurred_at} as="clock" focusable={false} />
            <EventSentence event={event} names={names} />
            <LinkButton
              label={text.detailsOf(sentenceText(eventSentence(toldEvent(event))))}
              onClick={() => {
                show(event.id);
              }}
            >
              {text.details}
            </LinkButton>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function NoEvents({ search, change }: Pick<EventListProps, 'search' | 'change'>) {
  if (!isFiltered(search))
    return (
      <Empty title={text.none}>
        <p>{text.noneHint}</p>
      </Empty>
    );
  return (
    <NoMatch
      title={text.noMatch}
      onClear={() => {
        change({});
      }}
    />
  );
}
