/** Two panes on desks: the queue, and the request that is open. On phones one of them. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { useIsDrawn } from '../../../shared/browser/next-draw.ts';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { Part } from '../../../shared/design/part.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { Queue } from './queue.tsx';
import classes from './queue-layout.module.css';

const NEEDED = 'request.read';

export function QueueLayout() {
  const { id } = useParams({ strict: false });
  const { data: account } = useSuspenseQuery(accountQuery);
  // A request that is open is drawn before the list next to it.
  const isListDue = useIsDrawn({ atOnce: id === undefined });
  if (!hasPermission(account, NEEDED)) return <NoAccess />;
  return (
    <div className={classes['panes']} data-open={id !== undefined || undefined}>
      <div className={classes['list']}>
        <Part>{isListDue && <Queue />}</Part>
      </div>
      <div className={classes['open']}>
        <Outlet />
      </div>
    </div>
  );
}

function NoAccess() {
  useTitle(text.queueTitle);
  return <MissingPermission permission={NEEDED} />;
}
