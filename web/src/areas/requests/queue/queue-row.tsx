/** One request in the queue. Deciding needs the open request, so a row only opens it. */
import { Link } from '@tanstack/react-router';
import { Instant } from '../../../design/instant.tsx';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { requests as text } from '../../../text/requests.ts';
import type { Summary } from './queue-data.ts';
import type { QueueSearch } from './queue-search.ts';
import classes from './queue-row.module.css';

interface QueueRowProps {
  readonly request: Summary;
  readonly search: QueueSearch;
}

export function QueueRow({ request, search }: QueueRowProps) {
  const isPending = request.status === 'pending';
  return (
    <Link
      to="/requests/$id"
      params={{ id: request.id }}
      search={search}
      activeOptions={{ includeSearch: false }}
      className={classes['row']}
    >
      <span className={classes['line']}>
        <span className={classes['tool']}>
          <ForeignText text={request.tool} />
        </span>
        {request.urgency === 'interrupt' && (
          <strong className={classes['urgent']}>{text.urgent}</strong>
        )}
        <span className={classes['end']}>
          {isPending ? (
            <Instant at={request.deadline_at} as="left" focusable={false} />
          ) : (
            text.status[request.status]
          )}
        </span>
      </span>
      <span className={classes['excerpt']}>
        <ForeignText text={request.excerpt} />
      </span>
      <span className={classes['facts']}>
        <ForeignText text={request.agent_name} />
        {' · '}
        <Instant at={request.created_at} as="ago" focusable={false} />
        {request.claim && (
          <>
            {' · '}
            <ForeignText text={text.claimedBy(request.claim.display_name)} />
          </>
        )}
        {isPending && !request.can_decide && ` · ${text.readOnly}`}
      </span>
    </Link>
  );
}
