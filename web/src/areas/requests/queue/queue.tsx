/** The queue: what waits for the reader, with tabs, search and filters in the address. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { isBusy } from '../../../shared/api/retries.ts';
import { useOnline } from '../../../shared/browser/online.ts';
import { useSingleKeys } from '../../../shared/browser/single-keys.ts';
import { useTitleCount } from '../../../shared/page/title.ts';
import { queue as queueText } from '../../../shared/text/queue.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { session as sessionText } from '../../../shared/text/session.ts';
import { SelectionBar } from './batch-deny/selection-bar.tsx';
import { canSelect, useSelection } from './batch-deny/selection.ts';
import type { Summary } from './change-log.ts';
import { useCounts, useLiveQueue, useQueue, useShowArrivals } from './queue-data.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { QueueList } from './queue-list.tsx';
import {
  filterCount,
  isFiltered,
  TABS,
  withoutFilters,
  type QueueSearch,
  type Tab,
} from './queue-search.ts';
import { QueueFilters } from './queue-filters.tsx';
import classes from './queue.module.css';

export function Queue() {
  const search = useSearch({ from: '/signed-in/queue' });
  const navigate = useNavigate();
  const { isCut } = useLiveQueue();
  const queue = useQueue(search);
  const selection = useSelection(JSON.stringify(search), queue.rows);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!selection.isOn) return undefined;
    const { current: queueElement } = section;
    return () => {
      // The bar that had the focus is gone.
      if (document.activeElement === document.body) queueElement?.focus();
    };
  }, [selection.isOn]);
  const change = (changed: QueueSearch) => {
    void navigate({ to: '.', search: changed, replace: true });
  };
  return (
    <section ref={section} className={classes['queue']} aria-label={text.queueTitle} tabIndex={-1}>
      <h1 className="visually-hidden">{text.queueTitle}</h1>
      <SkipToRequest />
      <Tabs search={search} change={change} />
      <Tools search={search} rows={queue.rows} change={change} />
      <div className={classes['line']}>
        <Arrivals arrivals={queue.arrivals} isEmpty={queue.rows?.length === 0} />
        {isFiltered(search) && (
          <LinkButton
            onClick={() => {
              change(withoutFilters(search));
            }}
          >
            {queueText.clearFilters}
          </LinkButton>
        )}
        {(selection.isOn || queue.rows?.some(canSelect) === true) && (
          <LinkButton onClick={selection.isOn ? selection.end : selection.start}>
            {selection.isOn ? queueText.endSelection : queueText.select}
          </LinkButton>
        )}
      </div>
      <Connection
        isCut={isCut}
        isBusy={queue.list.isFetching && !queue.list.isPending && isBusy(queue.list.failureReason)}
      />
      <div className={classes['below']}>
        <QueueList search={search} queue={queue} selection={selection} change={change} />
      </div>
      {selection.isOn && <SelectionBar selection={selection} />}
      <KeysDialog />
    </section>
  );
}

/** The list is one stop, and what stands around it are some more. */
function SkipToRequest() {
  const { id } = useParams({ strict: false });
  if (id === undefined) return null;
  return (
    <a href="#request" className={classes['skip']}>
      {queueText.skip}
    </a>
  );
}

interface ConnectionProps {
  readonly isCut: boolean;
  /** The list waits until the service takes calls again. */
  readonly isBusy: boolean;
}

/** Says when what is shown may not be what is. */
function Connection({ isCut, isBusy: isListBusy }: ConnectionProps) {
  const isOnline = useOnline();
  return (
    <p role="status" className={classes['connection']}>
      {!isOnline && queueText.offline}
      {isOnline && isCut && queueText.cut}
      {isOnline && !isCut && isListBusy && sessionText.busy}
    </p>
  );
}

interface ChangeProps {
  readonly search: QueueSearch;
  readonly change: (search: QueueSearch) => void;
}

function Tabs({ search, change }: ChangeProps) {
  const counts = useCounts();
  useTitleCount(counts?.notified ?? 0);
  const { tab: open = 'asked' } = search;
  const countOf: Record<Tab, number | undefined> = {
    asked: counts?.notified,
    mine: counts?.decidable,
    all: counts?.visible,
    decided: undefined,
  };
  return (
    <div className={classes['tabs']} role="group" aria-label={text.show}>
      {TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          className={classes['tab']}
          aria-pressed={tab === open}
          onClick={() => {
            change({ ...search, tab });
          }}
        >
          {text.tabs[tab]}
          {countOf[tab] !== undefined && (
            <span className={classes['count']}>{text.count(countOf[tab])}</span>
          )}
        </button>
      ))}
    </div>
  );
}

interface ToolsProps extends ChangeProps {
  readonly rows: readonly Summary[] | undefined;
}

/** Search, and filters where some are set or the reader opens them. */
function Tools({ search, rows, change }: ToolsProps) {
  const filters = filterCount(search);
  const [isFiltering, setFiltering] = useState(filters > 0 || search.sort !== undefined);
  return (
    <>
      <div className={classes['tools']}>
        <SearchField
          q={search.q ?? ''}
          change={(q) => {
            change({ ...search, q });
          }}
        />
        <button
          type="button"
          className={classes['filter']}
          aria-expanded={isFiltering}
          onClick={() => {
            setFiltering(!isFiltering);
          }}
        >
          {queueText.filters(filters)}
        </button>
      </div>
      {isFiltering && <QueueFilters search={search} rows={rows} change={change} />}
    </>
  );
}

const TYPING_MS = 250;

function SearchField({ q, change }: { readonly q: string; readonly change: (q: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useSingleKeys({
    '/': () => {
      field.current?.focus();
    },
  });
  const [typed, setTyped] = useState(q);
  const [last, setLast] = useState(q);
  // The address changed by itself: by a link, or the way back.
  if (q !== last) {
    setLast(q);
    setTyped(q);
  }
  useEffect(() => {
    if (typed === q) return undefined;
    const timer = setTimeout(() => {
      change(typed);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed, q, change]);
  return (
    <input
      ref={field}
      type="search"
      className={classes['search']}
      aria-label={text.search}
      placeholder={text.search}
      maxLength={200}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
      }}
    />
  );
}

interface ArrivalsProps {
  readonly arrivals: number;
  /** Nothing could move: then they appear by themselves. */
  readonly isEmpty: boolean;
}

function Arrivals({ arrivals, isEmpty }: ArrivalsProps) {
  const show = useShowArrivals();
  const isDue = isEmpty && arrivals > 0;
  const showDue = useEffectEvent(show);
  useEffect(() => {
    if (isDue) showDue();
  }, [isDue]);
  return (
    <div role="status" aria-live="polite" className={classes['arrivals']}>
      {arrivals > 0 && !isEmpty && (
        <button type="button" className={classes['arrived']} onClick={show}>
          {text.arrived(arrivals)}
        </button>
      )}
    </div>
  );
}
