/** What happened to a request: a picture, and every event in words. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import { timeline as words } from '../../../shared/text/timeline.ts';
import { timelineQuery, type RequestDetail, type TimelineEvent } from '../requests-data.ts';
import classes from './timeline-section.module.css';

// It is below what people decide by.
const RequestSchedule = lazy(async () => {
  const { RequestSchedule: component } = await loadPart(() => import('./request-schedule.tsx'));
  return { default: component };
});

const AT_ONCE = 100;

interface Entry {
  readonly key: string;
  readonly event: TimelineEvent;
  /** Who was notified at that moment: by a level, or because no one is left to decide. */
  readonly names: readonly string[];
  /** Who was not reached by any message, and why. */
  readonly unreached: readonly Unreached[];
}

interface Unreached {
  readonly name: string;
  readonly why: string;
}

export function TimelineSection({ request }: { readonly request: RequestDetail }) {
  const events = useQuery(timelineQuery(request));
  if (events.isPending) return null;
  const entries = entriesOf(events.data ?? []);
  return (
    <section className={classes['timeline']}>
      <h2>{text.timeline}</h2>
      {events.isError && <PartFailed part={events} />}
      <Suspense>
        <RequestSchedule request={request} />
      </Suspense>
      <Events entries={entries} />
      {request.workflow_url !== undefined && (
        // eslint-disable-next-line no-restricted-syntax -- The configuration names the address, http or https, and the id is ours.
        <a href={request.workflow_url} target="_blank" rel="noreferrer">
          {words.workflow}
        </a>
      )}
    </section>
  );
}

/** At first the newest, because an old request may have thousands. */
function Events({ entries }: { readonly entries: readonly Entry[] }) {
  const [shown, setShown] = useState(AT_ONCE);
  const hidden = Math.max(0, entries.length - shown);
  return (
    <>
      {hidden > 0 && (
        <Button
          isSecondary
          onClick={() => {
            setShown(shown + AT_ONCE);
          }}
        >
          {words.earlier(hidden)}
        </Button>
      )}
      <ol className={classes['events']}>
        {entries.slice(hidden).map(({ key, event, names, unreached }, index, shownEntries) => (
          <li key={key} className={classes['event']}>
            <span className={classes['time']}>
              {minuteOf(event) !== minuteOf(shownEntries[index - 1]?.event) && (
                <Instant at={event.occurred_at} as="clock" focusable={false} />
              )}
            </span>
            <span>
              {event.actor_display_name !== undefined && (
                <>
                  <ForeignText text={event.actor_display_name} />{' '}
                </>
              )}
              {(names.length > 0 || !isLevel(event)) &&
                words.event(event.event_type, dataOf(event))}
              <Rule event={event} />
              <Names names={names} />
              {unreached.length > 0 && (names.length > 0 || !isLevel(event)) && '. '}
              <NotReached people={unreached} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Names({ names }: Pick<Entry, 'names'>) {
  return names.map((name, index) => (
    <span key={index}>
      {index === 0 ? ' ' : ', '}
      <ForeignText text={name} />
    </span>
  ));
}

function NotReached({ people }: { readonly people: readonly Unreached[] }) {
  return people.map(({ name, why }, index) => (
    <span key={index}>
      {index === 0 ? words.couldNotReach : ','} <ForeignText text={name} /> ({why})
    </span>
  ));
}

/** A time is said once for all that happened in its minute. */
const minuteOf = (event: TimelineEvent | undefined): string | undefined =>
  event?.occurred_at.slice(0, 'YYYY-MM-DDTHH:MM'.length);

/** The rule that decided, or that asks people. */
function Rule({ event }: { readonly event: TimelineEvent }) {
  const { block_id: block } = dataOf(event);
  if (typeof block !== 'string' || !words.isVerdict(event.event_type)) return null;
  return (
    <>
      {' '}
      {words.byRule} <ForeignText text={block} isName />
    </>
  );
}

const dataOf = ({ data }: TimelineEvent): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};

/** Of an attempt to ask another system, its end says all. The beginning is shown while there is none. */
function withoutEnded(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  const attempt = (event: TimelineEvent) => {
    const { scope, block_id: block, attempt: number } = dataOf(event);
    return JSON.stringify([scope, block, number]);
  };
  const ended = events.filter(({ event_type: type }) => type.endsWith('.block_asked'));
  const known = new Set(ended.map(attempt));
  return events.filter(
    (event) => !event.event_type.endsWith('.block_attempt_begun') || !known.has(attempt(event)),
  );
}

/** That rules finished is said by what they concluded. */
const withoutConclusions = (events: readonly TimelineEvent[]): readonly TimelineEvent[] =>
  events.some(({ event_type: type }) => type.endsWith('.routed'))
    ? events.filter(({ event_type: type }) => !type.endsWith('.pipeline_concluded'))
    : events;

/** A level has one event for each person. In the picture and the list it is one. */
function entriesOf(events: readonly TimelineEvent[]): Entry[] {
  const entries: Entry[] = [];
  for (const event of withoutConclusions(withoutEnded(events))) {
    const { names, unreached } = peopleOf(event);
    const last = entries.at(-1);
    if (last && names.length + unreached.length > 0 && isSameLevel(last.event, event))
      entries[entries.length - 1] = {
        ...last,
        names: [...last.names, ...names],
        unreached: [...last.unreached, ...unreached],
      };
    else entries.push({ key: event.id, event, names, unreached });
  }
  return entries;
}

interface Person {
  readonly membership_id?: unknown;
  readonly display_name?: unknown;
}

const isLevel = ({ event_type: type }: TimelineEvent): boolean => type.endsWith('.level_notified');

/** The people the event notified, and those it could not reach. */
function peopleOf(event: TimelineEvent): Pick<Entry, 'names' | 'unreached'> {
  const named = personsOf(event).flatMap(({ membership_id: id, display_name: name }) => {
    const failed = (event.unreached ?? []).filter((each) => each.membership_id === id);
    return typeof name === 'string'
      ? [{ name, why: failed.map(({ problem }) => problem).join('; ') }]
      : [];
  });
  return {
    names: named.flatMap(({ name, why }) => (why === '' ? [name] : [])),
    unreached: named.filter(({ why }) => why !== ''),
  };
}

function personsOf(event: TimelineEvent): readonly Person[] {
  const data = dataOf(event);
  if (isLevel(event)) return [data];
  // `unreachable` and `claim_lapsed` tell several people at once.
  return Array.isArray(data['told']) ? (data['told'] as readonly Person[]) : [];
}

const isSameLevel = (one: TimelineEvent, other: TimelineEvent): boolean =>
  one.event_type === other.event_type &&
  one.occurred_at === other.occurred_at &&
  dataOf(one)['node_id'] === dataOf(other)['node_id'];
