/** Two panes on desks: the queue, and the request that is open. On phones one of them. */
import { Outlet, useParams } from '@tanstack/react-router';
import { Queue } from './queue.tsx';
import classes from './queue-layout.module.css';

export function QueueLayout() {
  const { id } = useParams({ strict: false });
  return (
    <div className={classes['panes']} data-open={id !== undefined || undefined}>
      <div className={classes['list']}>
        <Queue />
      </div>
      <div className={classes['open']}>
        <Outlet />
      </div>
    </div>
  );
}
