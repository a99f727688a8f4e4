/** The queue: what waits for the reader. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Failed, Loading } from '../../../shell/states.tsx';
import { requests as text } from '../../../text/requests.ts';
import { queueQuery } from '../requests-data.ts';
import classes from './queue.module.css';

export function Queue() {
  const { data, error, isPending } = useQuery(queueQuery);
  if (isPending) return <Loading />;
  if (error) return <Failed error={error} />;
  return (
    <section className={classes['queue']}>
      <h1>{text.queueTitle}</h1>
      {data.length === 0 && (
        <div className={classes['empty']}>
          <h2>{text.empty}</h2>
          <p>{text.emptyHint}</p>
        </div>
      )}
      <ul>
        {data.map((request) => (
          <li key={request.id}>
            <Link to="/requests/$id" params={{ id: request.id }} className={classes['row']}>
              <bdi className={classes['tool']}>{request.tool}</bdi>
              <bdi>{request.agent_name}</bdi>
              <span>{request.status}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
