/** Waits until the agent calls for the first time, and leads to its request. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import { connect as text } from '../text.ts';
import { firstCallQuery, testRequestQuery } from './connect-data.ts';
import classes from './connect.module.css';

interface WaitingProps {
  readonly slug: string;
  /** The instance that got the credential. Without it, any that is made from now on. */
  readonly instance?: string;
  /** By the clock of the service. */
  readonly since: string;
}

export function Waiting({ slug, instance, since }: WaitingProps) {
  const first = useQuery(
    firstCallQuery({ slug, since, ...(instance !== undefined && { instance }) }),
  );
  const request = useQuery(testRequestQuery(slug, since));
  const { data: call } = first;
  if (first.isError) return <PartFailed part={first} />;
  return (
    <div role="status" className={classes['waiting']} data-called={call?.at !== undefined}>
      {call?.at === undefined ? (
        <p>
          <span className={classes['dot']} aria-hidden="true" />
          {call && instance === undefined ? text.joined : text.waiting}{' '}
          {call && instance === undefined && <ForeignText text={call.instance} isName />}
        </p>
      ) : (
        <p>
          <span className={classes['dot']} aria-hidden="true" />
          {text.called} <Instant at={call.at} as="ago" /> {text.from}{' '}
          <ForeignText text={call.instance} isName />
        </p>
      )}
      {request.data && (
        <p>
          {text.request}{' '}
          <Link to="/requests/$id" params={{ id: request.data.id }} target="_blank">
            <ForeignText text={request.data.tool} isName />
          </Link>{' '}
          {text.outcome[request.data.status]}
        </p>
      )}
    </div>
  );
}
