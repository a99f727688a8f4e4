/** A list that is read page by page: while it loads, where it failed, where nothing is there, and its next page. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api.ts';
import { More } from '../more.tsx';
import { Failed, Loading, PartFailed } from '../states.tsx';
import classes from './paged-list.module.css';

interface PagedListProps<Page, Row> {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page>>;
  readonly rowsOf: (page: Page) => readonly Row[];
  /** In the place of rows: why there are none, and what to do. */
  readonly none: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** Who lost the permission, or whose list is gone, sees nothing of what was read before. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404);

export function PagedList<Page, Row>({ list, rowsOf, none, children }: PagedListProps<Page, Row>) {
  if (list.isPending) return <Loading />;
  if (list.data === undefined || isFinal(list.error))
    return <Failed error={list.error} reset={() => void list.refetch()} />;
  const rows = list.data.pages.flatMap(rowsOf);
  const isOld = list.isPlaceholderData;
  return (
    <div className={classes['list']} data-old={isOld || undefined} aria-busy={isOld || undefined}>
      {/* What was read before stays: a reader in the middle of it goes on. */}
      {list.isRefetchError && <PartFailed part={list} />}
      {rows.length === 0 && !list.hasNextPage ? none : children(rows)}
      {!isOld && <More list={list} />}
    </div>
  );
}
