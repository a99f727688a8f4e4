/** One request in the queue. Deciding needs the open request, so a row only opens it. */
import { Link } from '@tanstack/react-router';
import { shownLine } from '../../../../../src/domain/shown-text.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import { queue as queueText } from '../../../shared/text/queue.ts';
import { canSelect, type Selection } from './batch-deny/selection.ts';
import { CallMarks } from '../call-marks.tsx';
import { Deadline } from '../deadline.tsx';
import { headlineOf } from '../headline.ts';
import { DecidedBy, OutcomeSign } from '../decided-by.tsx';
import type { Summary } from './change-log.ts';
import type { QueueSearch } from './queue-search.ts';
import classes from './queue-row.module.css';

interface QueueRowProps {
  readonly request: Summary;
  readonly search: QueueSearch;
  readonly selection: Selection;
  /** The list is one stop of the Tab key: this row is it. */
  readonly isStop: boolean;
}

export function QueueRow({ request, search, selection, isStop }: QueueRowProps) {
  const { tool, agent_name: agent } = request;
  return (
    <div className={classes['row']}>
      {selection.isOn && (
        <label className={classes['check']}>
          {canSelect(request) && (
            <input
              type="checkbox"
              tabIndex={isStop ? 0 : -1}
              aria-label={queueText.selectRow(shownLine(tool), shownLine(agent))}
              checked={selection.has(request.id)}
              onChange={() => {
                selection.toggle(request);
              }}
            />
          )}
        </label>
      )}
      <Content request={request} search={search} isStop={isStop} />
    </div>
  );
}

function Content({ request, search, isStop }: Omit<QueueRowProps, 'selection'>) {
  const isPending = request.status === 'pending';
  const { title, rest } = headlineOf(request);
  return (
    <Link
      to="/requests/$id"
      params={{ id: request.id }}
      search={search}
      tabIndex={isStop ? 0 : -1}
      activeOptions={{ includeSearch: false }}
      className={classes['link']}
    >
      <span className={classes['line']}>
        <span className={classes[title === undefined ? 'toolTitle' : 'title']}>
          <ForeignText text={title ?? request.tool} isName />
        </span>
        {request.urgency === 'interrupt' && (
          <strong className={classes['urgent']}>{text.urgent}</strong>
        )}
        <span className={classes['end']}>
          {isPending ? (
            <Deadline request={request} focusable={false} />
          ) : (
            <>
              <OutcomeSign status={request.status} /> {text.status[request.status]}
            </>
          )}
        </span>
      </span>
      <span className={classes['excerpt']}>
        {title !== undefined && (
          <span className={classes['tool']}>
            <ForeignText text={request.tool} isName />
          </span>
        )}
        {title !== undefined && rest !== '' && ' · '}
        <ForeignText text={rest} />
      </span>
      <Facts request={request} />
    </Link>
  );
}

/** Narrow rows cut them off at their end. */
function Facts({ request }: Pick<QueueRowProps, 'request'>) {
  const { decision, claim } = request;
  const isPending = request.status === 'pending';
  return (
    <span className={classes['facts']}>
      <CallMarks request={request} isRow className={classes['mark']} />
      {decision && (
        <>
          <DecidedBy decision={decision} focusable={false} />
          {' · '}
        </>
      )}
      <ForeignText text={request.agent_name} isName />
      {' · '}
      {!isPending && `${text.askedInRow} `}
      <Instant at={request.created_at} as="ago" focusable={false} />
      {claim && (
        <>
          {' · '}
          <ForeignText text={claim.display_name} /> {text.holdsClaim}
        </>
      )}
      {isPending && !request.can_decide && ` · ${text.readOnly}`}
    </span>
  );
}
