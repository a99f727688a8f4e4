/** Who connected, paused and changed an agent: from the audit log, or what is known without it. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Instant } from '../../../shared/design/instant.tsx';
import note from '../../../shared/design/note.module.css';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Empty } from '../../../shared/page/empty.tsx';
import { EventSentence, useNames, type Event } from '../../../shared/page/event-sentence.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { agentQuery } from '../agents-data.ts';
import { activity as text } from '../text.ts';
import { activityQuery, knownHistory } from './activity-data.ts';
import classes from './activity.module.css';

export function Activity() {
  const { slug } = useParams({ from: '/signed-in/agents/$slug' });
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <Panel title={text.title} hint={text.hint}>
      {hasPermission(account, 'audit.read') ? <Log slug={slug} /> : <KnownWithoutLog slug={slug} />}
    </Panel>
  );
}

function Log({ slug }: { readonly slug: string }) {
  const list = useInfiniteQuery(activityQuery(slug));
  return (
    <PagedList
      list={list}
      rowsOf={(page) => page.events}
      none={
        <Empty title={text.none}>
          <p>{text.noneHint}</p>
        </Empty>
      }
    >
      {(events) => <Events events={events} />}
    </PagedList>
  );
}

function Events({ events }: { readonly events: readonly Event[] }) {
  const names = useNames(events);
  return (
    <ol className={classes['events']}>
      {events.map((event) => (
        <li key={event.id}>
          <Instant at={event.occurred_at} as="clock" focusable={false} />
          <EventSentence event={event} names={names} />
        </li>
      ))}
    </ol>
  );
}

function KnownWithoutLog({ slug }: { readonly slug: string }) {
  const { data: agent } = useSuspenseQuery(agentQuery(slug));
  return (
    <>
      <p className={note['note']}>{text.withoutLog}</p>
      <ol className={classes['events']}>
        {knownHistory(agent).map(({ at, what, name }, index) => (
          <li key={index}>
            <Instant at={at} as="clock" focusable={false} />
            <span>
              {text.known[what]}{' '}
              {name !== undefined && (
                <strong>
                  <ForeignText text={name} isName />
                </strong>
              )}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
