/** Below the part of a list that was read: reads the next page. */
import { Button } from '../design/button.tsx';
import { session } from '../text/session.ts';

interface MoreProps {
  /** As `useInfiniteQuery` returns it. */
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

export function More({ list }: MoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <div>
      {list.isFetchNextPageError && <p role="alert">{session.partFailed}</p>}
      <Button
        isSecondary
        aria-busy={list.isFetchingNextPage}
        onClick={() => {
          if (!list.isFetchingNextPage) void list.fetchNextPage();
        }}
      >
        {list.isFetchingNextPage ? session.loading : session.more}
      </Button>
    </div>
  );
}
