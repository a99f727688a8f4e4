/** Next to the links that lead to deliveries: how many messages were not delivered. Nothing when all were. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import { countText } from '../../shared/text/numbers.ts';
import { deliveries as text } from './deliveries/text.ts';
import classes from './dead-count.module.css';

const POLL_MS = 60_000;
/** The service counts no further. */
const MOST = 1_000;

const deadQuery = queryOptions({
  queryKey: ['dead-deliveries'],
  queryFn: async ({ signal }) => {
    const init = { headers: BACKGROUND, signal };
    return (await call('get', '/api/v1/notification_deliveries/dead_count', init)).body.dead_count;
  },
  refetchInterval: POLL_MS,
  staleTime: POLL_MS,
});

export function DeadCount() {
  const { data: dead = 0 } = useQuery(deadQuery);
  if (dead === 0) return null;
  const shown = dead >= MOST ? `${countText(MOST)}+` : countText(dead);
  return (
    <>
      <span className={classes['count']} aria-hidden="true">
        {shown}
      </span>
      <span className="visually-hidden">, {text.deadCount(shown, dead === 1)}</span>
    </>
  );
}
