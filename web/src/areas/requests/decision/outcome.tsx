/** The final decision, and who made it. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Instant } from '../../../shared/design/instant.tsx';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Account } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { durationText } from '../../../shared/text/times.ts';
import { DecidedBy, isDecidedBy, OutcomeSign } from '../decided-by.tsx';
import type { RequestDetail } from '../requests-data.ts';
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
function Started({ request }: Pick<OutcomeProps, 'request'>) {
  const { started_at: at, approval_expires_at: endsAt, decision, result } = request;
  const now = useNowSeconds();
  if (!decision || endsAt === undefined) return null;
  if (at === undefined)
    return now >= Date.parse(endsAt) / 1_000 ? (
      <p>{text.notStarted}</p>
    ) : (
      <p>
        {text.usableUntil} <Instant at={endsAt} as="clock" />.
      </p>
    );
  const after = (Date.parse(at) - Date.parse(decision.decided_at)) / 1_000;
  return (
    <>
      <p>{text.started(durationText(after))}</p>
      {result && (
        <p>
          {text.results[result.outcome]}
          {result.detail !== undefined && (
            <>
              {' '}
              {text.agentSays} <ForeignText text={result.detail} />
            </>
          )}
        </p>
      )}
    </>
  );
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
