/** The queue: what waits for the reader, with tabs, search and filters in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { requests as text } from '../../../text/requests.ts';
import { useArrivals, useCounts, useLiveQueue, useShowArrivals } from './queue-data.ts';
import { QueueList } from './queue-list.tsx';
import { TABS, type QueueSearch, type Tab } from './queue-search.ts';
import { QueueFilters } from './queue-filters.tsx';
import classes from './queue.module.css';

export function Queue() {
  const search = useSearch({ from: '/signed-in/queue' });
  const navigate = useNavigate();
  useLiveQueue();
  const change = (changed: QueueSearch) => {
    void navigate({ to: '.', search: changed, replace: true });
  };
  return (
    <section className={classes['queue']} aria-label={text.queueTitle}>
      <h1 className={classes['title']}>{text.queueTitle}</h1>
      <Tabs search={search} change={change} />
      <SearchField
        q={search.q ?? ''}
        change={(q) => {
          change({ ...search, q });
        }}
      />
      <QueueFilters search={search} change={change} />
      <div className={classes['below']}>
        <QueueList search={search} />
        <Arrivals search={search} />
      </div>
    </section>
  );
}

interface TabsProps {
  readonly search: QueueSearch;
  readonly change: (search: QueueSearch) => void;
}

function Tabs({ search, change }: TabsProps) {
  const counts = useCounts();
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

const TYPING_MS = 250;

function SearchField({ q, change }: { readonly q: string; readonly change: (q: string) => void }) {
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

function Arrivals({ search }: { readonly search: QueueSearch }) {
  const arrivals = useArrivals(search);
  const show = useShowArrivals();
  return (
    <div role="status" aria-live="polite" className={classes['arrivals']}>
      {arrivals > 0 && (
        <button type="button" className={classes['arrived']} onClick={show}>
          {text.arrived(arrivals)}
        </button>
      )}
    </div>
  );
}
