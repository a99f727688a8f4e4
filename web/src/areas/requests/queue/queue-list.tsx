/** The rows of the queue. Only those that are visible are in the page. */
import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Failed, Loading } from '../../../shell/states.tsx';
import { useSingleKeys } from '../../../shell/single-keys.ts';
import { requests as text } from '../../../text/requests.ts';
import { useQueueList, type Summary } from './queue-data.ts';
import { QueueRow } from './queue-row.tsx';
import type { QueueSearch } from './queue-search.ts';
import classes from './queue.module.css';

const ROW_PIXELS = 84;
/** The next page is read before its rows are reached. */
const AHEAD_ROWS = 15;

export function QueueList({ search }: { readonly search: QueueSearch }) {
  const list = useQueueList(search);
  if (list.isPending) return <Loading />;
  if (!list.data) return <Failed error={list.error} reset={() => void list.refetch()} />;
  const requests = list.data.pages.flatMap((page) => page.requests);
  if (requests.length === 0) return <Empty search={search} />;
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError)
      void list.fetchNextPage();
  };
  return (
    <>
      <Rows requests={requests} more={more} search={search} />
      {list.isFetchNextPageError && (
        <Button variant="default" onClick={() => void list.fetchNextPage()}>
          {text.moreFailed}
        </Button>
      )}
    </>
  );
}

interface RowsProps {
  readonly requests: readonly Summary[];
  readonly more: () => void;
  readonly search: QueueSearch;
}

function Rows({ requests, more, search }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // The compiler of React cannot memoize what the virtualizer returns, and nothing here needs that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const rows = useVirtualizer({
    count: requests.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    getItemKey: (index) => requests[index]?.id ?? index,
    overscan: 8,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= requests.length - AHEAD_ROWS) more();
  });
  const step = (by: number) => () => {
    const links = [...(scroller.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[at === -1 ? 0 : Math.max(0, at + by)]?.focus();
  };
  useSingleKeys({ j: step(1), k: step(-1) });
  return (
    <div ref={scroller} className={classes['scroller']}>
      <ul className={classes['rows']} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ key, index, start }) => {
          const request = requests[index];
          return (
            request && (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className={classes['placed']}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={requests.length}
                aria-posinset={index + 1}
              >
                <QueueRow request={request} search={search} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function Empty({ search }: { readonly search: QueueSearch }) {
  const { tab = 'asked', q, urgency, claimed } = search;
  const isFiltered =
    q !== undefined || (tab !== 'decided' && (urgency !== undefined || claimed !== undefined));
  return (
    <div className={classes['empty']}>
      <h2>{isFiltered ? text.noMatch : text.emptyTabs[tab].title}</h2>
      <p>{isFiltered ? text.noMatchHint : text.emptyTabs[tab].hint}</p>
    </div>
  );
}
