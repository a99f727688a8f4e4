/** The final answer, and who gave it. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Instant } from '../../../design/instant.tsx';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import type { Account } from '../../../shell/session.ts';
import { requests as text } from '../../../text/requests.ts';
import { useNextRequest } from '../queue/queue-data.ts';
import type { RequestDetail } from '../requests-data.ts';
import { useAnswerState } from './answer-data.ts';
import classes from './outcome.module.css';

const SIGNS = { approved: '✓', denied: '✕', expired: '⏱', cancelled: '–', pending: '' } as const;

interface OutcomeProps {
  readonly request: RequestDetail;
  readonly account: Account;
}

export function Outcome({ request, account }: OutcomeProps) {
  const { id, status, decision } = request;
  const box = useRef<HTMLElement>(null);
  const next = useNextRequest(id);
  const { isSending, intent } = useAnswerState(id);
  const member = decision?.membership_id;
  const isOwn = member !== undefined && member === account.principal.membership_id;
  const isLate = intent !== undefined && !isSending && !(isOwn && intent === status);
  useEffect(() => {
    // The buttons that had the focus are gone.
    if (document.activeElement === document.body) box.current?.focus();
  }, []);
  return (
    <section
      ref={box}
      className={classes['outcome']}
      tabIndex={-1}
      role="status"
      data-status={status}
    >
      <span className={classes['sign']} aria-hidden="true">
        {SIGNS[status]}
      </span>
      <div className={classes['words']}>
        <p>
          <strong>{status === 'expired' ? text.expired : text.status[status]}</strong>{' '}
          {decision && <By decision={decision} isOwn={isOwn} />}
        </p>
        {isLate && <p>{text.tooLate[intent]}</p>}
        {decision?.note !== undefined && (
          <p className={classes['note']}>
            {text.outcomeNote}: <ForeignText text={decision.note} />
          </p>
        )}
      </div>
      {next !== undefined && (
        <Link
          to="/requests/$id"
          params={{ id: next }}
          search={(kept) => kept}
          className={classes['next']}
        >
          {text.next}
        </Link>
      )}
    </section>
  );
}

interface ByProps {
  readonly decision: NonNullable<RequestDetail['decision']>;
  readonly isOwn: boolean;
}

function By({ decision, isOwn }: ByProps) {
  const { reviewer_display_name: name, channel, decided_at: at } = decision;
  return (
    <>
      {isOwn && text.byYou}
      {!isOwn && name !== undefined && (
        <>
          {text.by} <ForeignText text={name} />
        </>
      )}
      {channel === 'pipeline' && text.byRule} <Instant at={at} as="clock" />
    </>
  );
}
