/** One message: its recipient, how it ended, and what can be done. */
import { Link } from '@tanstack/react-router';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { StateMark, type StateTone } from '../../../shared/design/marks/badge.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { TroubleNote } from '../trouble-note.tsx';
import { troubleOfError } from '../trouble.ts';
import type { Delivery } from './deliveries-data.ts';
import type { DeliveriesSearch } from './shown.ts';
import { deliveries as text } from './text.ts';
import classes from './deliveries.module.css';

const TONES: Readonly<Record<Delivery['status'], StateTone>> = {
  pending: 'warn',
  delivered: 'good',
  dead: 'danger',
  dropped: 'plain',
};

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly search: DeliveriesSearch;
  /** Undefined for people who may not. */
  readonly onRetry: (() => void) | undefined;
}

export function DeliveryRow({ delivery, search, onRetry }: DeliveryRowProps) {
  const { status, created_at: at, last_error: error, request_id: request } = delivery;
  const isOver = status === 'delivered' || status === 'dropped';
  const isRetrying = status === 'pending' && error !== undefined;
  return (
    <li className={classes['row']}>
      <div className={classes['head']}>
        <strong>
          <Event delivery={delivery} />
        </strong>
        <StateMark tone={TONES[status]}>
          {isRetrying ? text.retrying : text.statuses[status]}
        </StateMark>
        <span className={classes['soft']}>
          <Instant at={at} as="ago" focusable={false} />
        </span>
      </div>
      {!isOver && error !== undefined && (
        <TroubleNote
          trouble={troubleOfError(delivery.channel.kind, error)}
          said={error}
          label={text.recorded}
        />
      )}
      <div className={classes['actions']}>
        {!isOver && onRetry && (
          <Button
            isSmall
            isSecondary
            aria-label={text.retryOf(delivery.member?.display_name ?? delivery.channel.name)}
            onClick={onRetry}
          >
            {status === 'dead' ? text.retry : text.retryNow}
          </Button>
        )}
        <Link to="/requests/$id" params={{ id: request }}>
          {text.request}
        </Link>
        <Narrower delivery={delivery} search={search} />
      </div>
      <details>
        <summary>{text.details}</summary>
        <Details delivery={delivery} />
      </details>
    </li>
  );
}

function Event({ delivery: { event, member, channel } }: { readonly delivery: Delivery }) {
  const [toPerson, toAll] = text.events[event];
  return (
    <>
      {member ? toPerson : toAll} {member && <ForeignText text={member.display_name} isName />}{' '}
      {text.over} <ForeignText text={channel.name} isName />
    </>
  );
}

function Narrower({ delivery, search }: Omit<DeliveryRowProps, 'onRetry'>) {
  const { member, request_id: request } = delivery;
  return (
    <>
      {search.request === undefined && (
        <Link to="/settings/deliveries" search={{ ...search, request }}>
          {text.onlyRequest}
        </Link>
      )}
      {member && search.member === undefined && (
        <Link to="/settings/deliveries" search={{ ...search, member: member.membership_id }}>
          {text.onlyPerson}
        </Link>
      )}
    </>
  );
}

function Details({ delivery }: { readonly delivery: Delivery }) {
  const { id, status, attempts, created_at: created, next_attempt_at: next } = delivery;
  const { finished_at: finished, dropped_reason: reason, last_error: error } = delivery;
  return (
    <Facts>
      <Fact label={text.attempts}>{attempts}</Fact>
      <Fact label={text.created}>
        <Instant at={created} as="clock" />
      </Fact>
      {next !== undefined && (
        <Fact label={text.next}>
          <Instant at={next} as="in" />
        </Fact>
      )}
      {finished !== undefined && (
        <Fact label={text.finished[status]}>
          <Instant at={finished} as="clock" />
        </Fact>
      )}
      {reason !== undefined && (
        <Fact label={text.why}>{text.droppedBecause[reason] ?? reason.replaceAll('_', ' ')}</Fact>
      )}
      {status === 'dropped' && error !== undefined && (
        <Fact label={text.recorded}>
          <ForeignText text={error} isName />
        </Fact>
      )}
      <Fact label={text.id}>
        <code>{id}</code>
      </Fact>
    </Facts>
  );
}
