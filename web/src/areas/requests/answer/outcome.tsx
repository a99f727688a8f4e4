/** The final answer, and who gave it. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Account } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { DecidedBy, isDecidedBy, OutcomeSign } from '../decided-by.tsx';
import { useNextRequest } from '../queue/queue-data.ts';
import type { RequestDetail } from '../requests-data.ts';
import { useAnswerState } from './answer-data.ts';
import classes from './outcome.module.css';

interface OutcomeProps {
  readonly request: RequestDetail;
  readonly account: Account;
}

export function Outcome({ request, account }: OutcomeProps) {
  const { id, status, decision } = request;
  const box = useRef<HTMLElement>(null);
  const next = useNextRequest(id);
  const { isSending, intent } = useAnswerState(id);
  const isAsSent = intent === status && isDecidedBy(account, decision);
  const isLate = intent !== undefined && !isSending && !isAsSent;
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
      <OutcomeSign status={status} className={classes['sign']} />
      <div className={classes['words']}>
        <p>
          <strong>{status === 'expired' ? text.expired : text.status[status]}</strong>{' '}
          {decision && <DecidedBy decision={decision} />}
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
