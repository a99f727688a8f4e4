/** What a reviewer should know about a call besides the call: a demo, identical ones, a recent denial, and a requester that is gone. */
import { Fragment, type ReactNode } from 'react';
import { Instant } from '../../shared/design/instant.tsx';
import { requests as text } from '../../shared/text/requests.ts';
import type { Summary } from './queue/change-log.ts';

type Marked = Pick<
  Summary,
  'status' | 'requester_state' | 'identical_pending' | 'last_denied_at' | 'demo'
>;

interface CallMarksProps {
  readonly request: Marked;
  /** In a row, the requester's state is said in short. */
  readonly isRow?: boolean;
  readonly className: string | undefined;
}

/** For a request that is no longer pending only that it is a demo: the others are for who decides. */
export function CallMarks({ request, isRow = false, className }: CallMarksProps) {
  return marksOf(request, isRow).map(({ key, mark }) => (
    <Fragment key={key}>
      <strong className={className}>{mark}</strong>{' '}
    </Fragment>
  ));
}

function marksOf(request: Marked, isRow: boolean) {
  const { status, requester_state: state, identical_pending: identical } = request;
  const { last_denied_at: denied } = request;
  const marks: { readonly key: string; readonly mark: ReactNode }[] = [];
  if (request.demo) marks.push({ key: 'demo', mark: text.demo });
  if (status !== 'pending') return marks;
  if (state !== 'active')
    marks.push({ key: 'requester', mark: isRow ? text.unread : text.unreadBecause[state] });
  if (identical > 1) marks.push({ key: 'identical', mark: text.identical(identical) });
  if (denied !== undefined)
    marks.push({
      key: 'denied',
      mark: (
        <>
          {text.deniedBefore} <Instant at={denied} as="ago" focusable={!isRow} />
        </>
      ),
    });
  return marks;
}
