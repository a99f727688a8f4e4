/** One request: who asks for what and why people are asked, what happened, and the answer. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { shownLine } from '../../../../src/domain/shown-text.ts';
import { ForeignText } from '../../exact/foreign-text.tsx';
import { readSource, type SourceValue } from '../../exact/source-values.ts';
import { Instant } from '../../design/instant.tsx';
import { useRecentAuthentication } from '../../shell/recent-authentication.tsx';
import { accountQuery } from '../../shell/session.ts';
import { Failed, Loading } from '../../shell/states.tsx';
import { useTitle } from '../../shell/title.ts';
import { requests as text } from '../../text/requests.ts';
import { CallSection } from './call/call-section.tsx';
import { DecideBar } from './answer/decide-bar.tsx';
import type { AnswerableCall } from './answer/decision-data.ts';
import { flagsOf } from './call/flags.ts';
import { Outcome } from './answer/outcome.tsx';
import { PeopleSection } from './people/people-section.tsx';
import { presentCall } from './call/presented-call.ts';
import { requestKey, requestQuery, type RequestDetail } from './requests-data.ts';
import { TimelineSection } from './timeline/timeline-section.tsx';
import classes from './request.module.css';

export function Request() {
  const { id } = useParams({ from: '/signed-in/queue/requests/$id' });
  const { data, error, isPending, refetch } = useQuery(requestQuery(id));
  useTitle(data ? `${shownLine(data.tool)} · ${shownLine(data.agent_name)}` : text.queueTitle);
  if (isPending) return <Loading />;
  if (!data) return <Failed error={error} reset={() => void refetch()} />;
  return <Shown key={data.id} request={data} />;
}

function Shown({ request }: { readonly request: RequestDetail }) {
  const source = request.arguments.text;
  const whole = useMemo(() => readSource(source), [source]);
  const call = useMemo(
    () => whole && presentCall(request.presentation, whole),
    [request.presentation, whole],
  );
  const flags = useMemo(() => flagsOf(request, whole), [request, whole]);
  const main =
    call?.fields.find(({ field }) => field.role === 'primary')?.value ??
    (call ? undefined : firstScalar(whole));
  return (
    <article className={classes['request']} aria-labelledby="request-title">
      <div className={classes['columns']}>
        <div className={classes['main']}>
          <Header request={request} />
          {flags.length > 0 && (
            <details className={classes['flags']} open>
              <summary>{text.flags(flags.length)}</summary>
              <ul>
                {flags.map((flag) => (
                  <li key={flag}>
                    <ForeignText text={flag} />
                  </li>
                ))}
              </ul>
            </details>
          )}
          <CallSection request={request} whole={whole} call={call} />
        </div>
        <aside className={classes['side']}>
          <PeopleSection request={request} />
          <TimelineSection request={request} />
        </aside>
      </div>
      <Answer request={request} mainValue={main?.source} flags={flags} />
    </article>
  );
}

function Header({ request }: { readonly request: RequestDetail }) {
  const search = useSearch({ from: '/signed-in/queue' });
  return (
    <header className={classes['header']}>
      <Link to="/" search={search} className={classes['back']}>
        {text.back}
      </Link>
      <p className={classes['who']}>
        <strong>
          <ForeignText text={request.agent_name} />
        </strong>{' '}
        {text.asks}
      </p>
      <h1 id="request-title" className={classes['tool']}>
        <ForeignText text={request.tool} />
        {request.server !== undefined && (
          <span className={classes['server']}>
            {' '}
            {text.on} <ForeignText text={request.server} />
          </span>
        )}
      </h1>
      <p className={classes['facts']}>
        {request.urgency === 'interrupt' && (
          <strong className={classes['urgent']}>{text.urgent}</strong>
        )}
        <span data-status={request.status} className={classes['status']}>
          {text.status[request.status]}
        </span>
        <span>
          {text.asked} <Instant at={request.created_at} as="ago" />
        </span>
        {request.status === 'pending' && <Instant at={request.deadline_at} as="left" />}
        <span>
          <ForeignText text={text.instance(request.agent_instance_name)} />
        </span>
      </p>
    </header>
  );
}

function Answer(props: AnswerableCall) {
  const { request } = props;
  const { data: account } = useSuspenseQuery(accountQuery);
  if (request.status !== 'pending') return <Outcome request={request} account={account} />;
  if (request.can_decide) return <DecideBar {...props} />;
  const reason = request.cannot_reason;
  if (!reason || text.cannot[reason] === '') return null;
  return (
    <div className={classes['cannot']} role="note">
      <p>{text.cannot[reason]}</p>
      {reason === 'mfa_required' && <EnterCode id={request.id} />}
    </div>
  );
}

/** This session had no second factor. The person may have one. */
function EnterCode({ id }: { readonly id: string }) {
  const ask = useRecentAuthentication();
  const queries = useQueryClient();
  const enter = async () => {
    if (await ask('mfa_required')) await queries.invalidateQueries({ queryKey: requestKey(id) });
  };
  return (
    <Button variant="default" onClick={() => void enter()}>
      {text.enterCode}
    </Button>
  );
}

/** Where no presentation says what matters, the first value does. */
function firstScalar(whole: SourceValue | undefined): SourceValue | undefined {
  return whole?.members.find(({ value }) => value.size === 0 && value.source.length <= 80)?.value;
}
