/** The final decision, and who made it. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Account } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { durationText } from '../../../shared/text/times.ts';
import { DecidedBy, isDecidedBy, OutcomeSign } from '../decided-by.tsx';
import { APPROVAL_SECONDS, type RequestDetail } from '../requests-data.ts';
import { useDecisionState } from './decision-data.ts';
import { OpensNextSetting } from './open-next.tsx';
import classes from './outcome.module.css';

interface OutcomeProps {
  readonly request: RequestDetail;
  readonly account: Account;
  /** The id of the request to decide next. */
  readonly next: string | undefined;
}

/** Whether the agent ran what was approved, as far as it says. */
function Started({ request: { started_at: at, decision } }: Pick<OutcomeProps, 'request'>) {
  const now = useNowSeconds();
  if (!decision) return null;
  const decided = Date.parse(decision.decided_at) / 1_000;
  if (at !== undefined)
    return <p>{text.started(durationText(Date.parse(at) / 1_000 - decided))}</p>;
  return now - decided < APPROVAL_SECONDS ? null : <p>{text.notStarted}</p>;
}

export function Outcome({ request, account, next }: OutcomeProps) {
  const { id, status, decision } = request;
  const box = useRef<HTMLElement>(null);
  const { isSending, intent } = useDecisionState(id);
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
        {status === 'approved' && <Started request={request} />}
        {isLate && <p>{text.tooLate[intent]}</p>}
        {decision?.note !== undefined && (
          <p className={classes['note']}>
            {text.outcomeNote}: <ForeignText text={decision.note} />
          </p>
        )}
        {isAsSent && <OpensNextSetting />}
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
