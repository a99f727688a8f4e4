/** Who made the final decision, and when. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Instant } from '../../shared/design/instant.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { accountQuery, type Account } from '../../shared/session/session.ts';
import { requests as text } from '../../shared/text/requests.ts';
import type { RequestDetail } from './requests-data.ts';

const SIGNS = { approved: '✓', denied: '✕', expired: '⏱', cancelled: '–', pending: '' } as const;

interface OutcomeSignProps {
  readonly status: RequestDetail['status'];
  readonly className?: string | undefined;
}

/** Next to the text of the outcome, so that color is not the only difference. */
export function OutcomeSign({ status, className }: OutcomeSignProps) {
  return (
    <span className={className} aria-hidden="true">
      {SIGNS[status]}
    </span>
  );
}

type Decision = NonNullable<RequestDetail['decision']>;

/** Rules and other people decide, too. */
export const isDecidedBy = ({ principal }: Account, decision: Decision | undefined): boolean =>
  decision?.membership_id !== undefined && decision.membership_id === principal.membership_id;

interface DecidedByProps {
  readonly decision: Decision;
  /** False inside links, as in `Instant`. */
  readonly focusable?: boolean;
}

export function DecidedBy({ decision, focusable = true }: DecidedByProps) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { reviewer_display_name: name, channel } = decision;
  const isOwn = isDecidedBy(account, decision);
  return (
    <>
      {isOwn && text.byYou}
      {!isOwn && name !== undefined && (
        <>
          {text.by} <ForeignText text={name} />
        </>
      )}
      {channel === 'pipeline' && text.byRule}{' '}
      <Instant at={decision.decided_at} as="clock" focusable={focusable} />
    </>
  );
}
