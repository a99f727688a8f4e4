/** One request: who asks for what and why people are asked, what happened, and the decision. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { cutValuesOf } from '../../../../../src/domain/shown/cut-values.ts';
import { flagsOf } from '../../../../../src/domain/shown/flags.ts';
import { mainValuesOf } from '../../../../../src/domain/shown/main-values.ts';
import { shownCall } from '../../../../../src/domain/shown/shown-call.ts';
import { shownLine } from '../../../../../src/domain/shown-text.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { readSource, type SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { ApiError } from '../../../shared/api/api.ts';
import { isBusy } from '../../../shared/api/retries.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { Failed, Loading } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { session as sessionText } from '../../../shared/text/session.ts';
import { useDecisionState, type DecidableCall } from '../decision/decision-data.ts';
import { CannotDecide } from '../decision/cannot-decide.tsx';
import { DecideBar } from '../decision/decide-bar.tsx';
import { Outcome } from '../decision/outcome.tsx';
import { Deadline } from '../deadline.tsx';
import { CallMarks } from '../call-marks.tsx';
import { ReadingContext } from '../../../shared/exact/reading.ts';
import { CallSection } from '../call/call-section.tsx';
import { FlagList } from '../call/flag-list.tsx';
import { useRequestReading, useUnrevealed } from '../call/request-reading.ts';
import { useNextRequest } from '../queue/queue-data.ts';
import { PeopleSection } from '../people/people-section.tsx';
import { requestQuery, type RequestDetail } from '../requests-data.ts';
import { TimelineSection } from '../timeline/timeline-section.tsx';
import classes from './request.module.css';

export function Request() {
  const { id } = useParams({ from: '/signed-in/queue/requests/$id' });
  const { data, error, failureReason, isPending, refetch } = useQuery(requestQuery(id));
  useTitle(data ? `${shownLine(data.tool)} · ${shownLine(data.agent_name)}` : text.queueTitle);
  if (isPending) return <Loading why={isBusy(failureReason) ? sessionText.busy : undefined} />;
  // What was read before does not stay once the service refuses it.
  if (!data || isRefused(error)) return <Failed error={error} reset={() => void refetch()} />;
  return <Shown key={data.id} request={data} />;
}

const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && [403, 404].includes(error.status);

function Shown({ request }: { readonly request: RequestDetail }) {
  const whole = useSource(request.arguments.text);
  const context = useSource(request.context?.text);
  const call = useMemo(
    () =>
      shownCall(
        { whole, context },
        { presentation: request.presentation, hiddenNames: request.hidden_names },
      ),
    [request.presentation, request.hidden_names, whole, context],
  );
  const cuts = useMemo(() => (whole ? cutValuesOf(whole, call.hidden) : []), [whole, call]);
  const flags = useMemo(
    () => flagsOf(namesOf(request), { whole, context, ...call }),
    [request, whole, context, call],
  );
  const isReadable = whole !== undefined;
  const reading = useRequestReading(request.id);
  const unopened = useMemo(
    () => cuts.filter(({ offset }) => !reading.opened.has(offset)),
    [cuts, reading.opened],
  );
  return (
    <ReadingContext value={reading}>
      <article className={classes['request']} aria-labelledby="request-title">
        <div className={classes['columns']}>
          <div className={classes['main']}>
            <Header request={request} />
            {flags.length > 0 && (
              <details className={classes['flags']} open>
                <summary>{text.flags(flags.length)}</summary>
                <FlagList flags={flags} first={FIRST_FLAGS} />
              </details>
            )}
            <CallSection request={request} whole={whole} context={context} call={call} />
          </div>
          <aside className={classes['side']}>
            <PeopleSection request={request} />
            <TimelineSection request={request} />
          </aside>
        </div>
        <Decision
          request={request}
          isReadable={isReadable}
          title={call.presented?.title}
          main={mainValuesOf(call, whole)}
          flags={flags}
          hidden={call.hidden}
          unrevealed={useUnrevealed(call, reading)}
          unopened={unopened}
        />
      </article>
    </ReadingContext>
  );
}

const FIRST_FLAGS = 6;

const namesOf = ({
  tool,
  server,
  agent_name: agentName,
  agent_instance_name: agentInstanceName,
}: RequestDetail) => ({ tool, server, agentName, agentInstanceName });

/** The JSON in a text, which is read once. */
const useSource = (source: string | undefined): SourceValue | undefined =>
  useMemo(() => (source === undefined ? undefined : readSource(source)), [source]);

function Header({ request }: { readonly request: RequestDetail }) {
  const search = useSearch({ from: '/signed-in/queue' });
  return (
    <header className={classes['header']}>
      <Link to="/" search={search} className={classes['back']}>
        {text.back}
      </Link>
      <p className={classes['who']}>
        <strong>
          <ForeignText text={request.agent_name} isName />
        </strong>{' '}
        {request.status === 'pending' ? text.asks.open : text.asks.decided}
      </p>
      <h1 id="request-title" className={classes['tool']}>
        <ForeignText text={request.tool} isName />
        {request.server !== undefined && (
          <span className={classes['server']}>
            {' '}
            {text.on} <ForeignText text={request.server} isName />
          </span>
        )}
      </h1>
      <p className={classes['facts']}>
        {request.urgency === 'interrupt' && (
          <strong className={classes['urgent']}>{text.urgent}</strong>
        )}
        <CallMarks request={request} className={classes['urgent']} />
        <span data-status={request.status} className={classes['status']}>
          {text.status[request.status]}
        </span>
        <span>
          {text.asked} <Instant at={request.created_at} as="ago" />
        </span>
        {request.status === 'pending' && <Deadline at={request.deadline_at} />}
        <span>
          {text.instance} <ForeignText text={request.agent_instance_name} isName />
        </span>
      </p>
    </header>
  );
}

function Decision(props: DecidableCall) {
  const { request } = props;
  const { data: account } = useSuspenseQuery(accountQuery);
  const { isSending } = useDecisionState(request.id);
  const next = useNextRequest(request.id);
  if (request.status !== 'pending')
    return <Outcome request={request} account={account} next={next} />;
  if (request.can_decide || isSending) return <DecideBar {...props} />;
  return <CannotDecide request={request} />;
}
