/** The rows of the queue. Only those that are visible are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ApiError } from '../../../shared/api/api.ts';
import { isBusy } from '../../../shared/api/retries.ts';
import { useIsDrawn } from '../../../shared/browser/next-draw.ts';
import { Failed, Loading } from '../../../shared/page/states.tsx';
import { queue as queueText } from '../../../shared/text/queue.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { session as sessionText } from '../../../shared/text/session.ts';
import type { Selection } from './batch-deny/selection.ts';
import type { Summary } from './change-log.ts';
import type { Queue } from './queue-data.ts';
import { EmptyQueue } from './empty-queue.tsx';
import { measureElement, observeElementRect } from './observed-sizes.ts';
import { QueueRow } from './queue-row.tsx';
import type { QueueSearch } from './queue-search.ts';
import { useRowFocus } from './row-focus.ts';
import { groupStarts, type Group } from './row-groups.ts';
import classes from './queue.module.css';

const ROW_PIXELS = 80;
/** Above the first row of a group. */
const GROUP_PIXELS = 30;
/** About what stands above the rows. The pane says its own height once it is laid out. */
const ABOVE_PIXELS = 230;
/** Beyond those that can be seen. */
const OVERSCAN_ROWS = 4;
/** The next page is read before its rows are reached. */
const AHEAD_ROWS = 15;

interface QueueListProps {
  readonly search: QueueSearch;
  readonly queue: Queue;
  readonly selection: Selection;
  readonly change: (search: QueueSearch) => void;
}

export function QueueList({ search, queue: { list, rows }, selection, change }: QueueListProps) {
  const isForbidden = list.error instanceof ApiError && list.error.status === 403;
  if (list.isPending)
    return <Loading why={isBusy(list.failureReason) ? sessionText.busy : undefined} />;
  if (!rows || isForbidden) return <Failed error={list.error} reset={() => void list.refetch()} />;
  if (rows.length === 0 && !list.hasNextPage) return <EmptyQueue search={search} change={change} />;
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError)
      void list.fetchNextPage();
  };
  return (
    <>
      <Rows
        requests={rows}
        readAt={list.data?.pages[0]?.readAt ?? 0}
        hasMore={list.hasNextPage}
        more={more}
        search={search}
        selection={selection}
      />
      {list.isFetchingNextPage && <p className={classes['more']}>{queueText.loadingMore}</p>}
      {list.isFetchNextPageError && (
        <Button isSecondary onClick={() => void list.fetchNextPage()}>
          {text.moreFailed}
        </Button>
      )}
    </>
  );
}

/** The groups of the order by urgency, as of when the list was read: no row moves because time passes. */
const groupsOf = (requests: readonly Summary[], { tab, sort }: QueueSearch, readAt: number) =>
  sort === undefined && tab !== 'decided' ? groupStarts(requests, readAt) : NO_GROUPS;

const NO_GROUPS: ReturnType<typeof groupStarts> = new Map();

interface RowsProps {
  readonly requests: readonly Summary[];
  /** When the list was read, in seconds. */
  readonly readAt: number;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly search: QueueSearch;
  readonly selection: Selection;
}

function GroupTitle({ group }: { readonly group: Group | undefined }) {
  if (!group) return null;
  return <h2 className={classes['group']}>{queueText.groups[group]}</h2>;
}

function Rows({ requests, readAt, hasMore, more, search, selection }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { id: openId } = useParams({ strict: false });
  const groups = groupsOf(requests, search, readAt);
  // What can be seen is drawn first.
  const overscan = useIsDrawn() ? OVERSCAN_ROWS : 0;
  // The compiler of React cannot memoize what the virtualizer returns, and nothing here needs that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const rows = useVirtualizer<HTMLDivElement, Element>({
    count: requests.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ROW_PIXELS + (groups.has(index) ? GROUP_PIXELS : 0),
    getItemKey: (index) => requests[index]?.id ?? index,
    overscan,
    initialRect: { width: 0, height: Math.max(0, innerHeight - ABOVE_PIXELS) },
    observeElementRect,
    measureElement,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= requests.length - AHEAD_ROWS) more();
  });
  const select = selection.toggle;
  const { stop, ...focus } = useRowFocus({ requests, rows, openId, search, select });
  // Scrolled away, it is no stop.
  const shownStop = visible.some(({ index }) => index === stop) ? stop : visible[0]?.index;
  return (
    <div
      ref={scroller}
      className={classes['scroller']}
      {...focus}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && selection.isOn) selection.end();
        focus.onKeyDown(event);
      }}
    >
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
                aria-setsize={hasMore ? -1 : requests.length}
                aria-posinset={index + 1}
              >
                <GroupTitle group={groups.get(index)} />
                <QueueRow {...{ request, search, selection }} isStop={index === shownStop} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
