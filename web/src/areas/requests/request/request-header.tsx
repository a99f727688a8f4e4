/** Who asks for what, by when, and where the request is in the list. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { AgentLink, InstanceLink } from '../../../shared/page/agent-links.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { CallMarks } from '../call-marks.tsx';
import { CallTitle } from '../../../shared/call/call-title.tsx';
import type { Call } from '../../../shared/call/presented-call.ts';
import { Deadline } from '../deadline.tsx';
import { usePlace } from '../queue/queue-data.ts';
import type { RequestDetail } from '../requests-data.ts';
import { MakeRuleLink } from './make-rule-link.tsx';
import classes from './request-header.module.css';

interface RequestHeaderProps {
  readonly request: RequestDetail;
  readonly call: Call;
}

export function RequestHeader({ request, call: { presented, hidden } }: RequestHeaderProps) {
  const isTitled = presented !== undefined && presented.title.length > 0;
  const tool = <ForeignText text={request.tool} isName />;
  return (
    <header className={classes['header']}>
      <Way request={request} />
      <p className={classes['who']}>
        <Agent request={request} />{' '}
        {request.status === 'pending' ? text.asks.open : text.asks.decided}
        {isTitled && <span className={classes['name']}> {tool}</span>}
        {isTitled && <Server request={request} />}
      </p>
      <h1 id="request-title" className={classes[isTitled ? 'title' : 'tool']}>
        {isTitled ? <CallTitle title={presented.title} hidden={hidden} /> : tool}
        {!isTitled && (
          <span className={classes['server']}>
            <Server request={request} />
          </span>
        )}
      </h1>
      <Facts request={request} />
    </header>
  );
}

/** Leads to its page for those who may see it. */
function Agent({
  request: { agent_slug: slug, agent_name: name },
}: Pick<RequestHeaderProps, 'request'>) {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (hasPermission(account, 'agent.read')) return <AgentLink slug={slug} name={name} />;
  return (
    <strong>
      <ForeignText text={name} isName />
    </strong>
  );
}

function Instance({ request }: Pick<RequestHeaderProps, 'request'>) {
  const { agent_slug: slug, agent_instance_name: name } = request;
  const { data: account } = useSuspenseQuery(accountQuery);
  if (hasPermission(account, 'agent.read')) return <InstanceLink slug={slug} name={name} />;
  return <ForeignText text={name} isName />;
}

function Server({ request: { server } }: Pick<RequestHeaderProps, 'request'>) {
  if (server === undefined) return null;
  return (
    <>
      {' '}
      {text.on} <ForeignText text={server} isName />
    </>
  );
}

function Facts({ request }: Pick<RequestHeaderProps, 'request'>) {
  const isPending = request.status === 'pending';
  return (
    <p className={classes['facts']}>
      {request.urgency === 'interrupt' && (
        <strong className={classes['urgent']}>{text.urgent}</strong>
      )}
      <CallMarks request={request} className={classes['urgent']} />
      {isPending && <Deadline request={request} />}
      {!isPending && (
        <span data-status={request.status} className={classes['status']}>
          {text.status[request.status]}
        </span>
      )}
      <span>
        {text.asked} <Instant at={request.created_at} as="clock" />
        {isPending && `, ${text.waiting}`}
      </span>
      <span>
        {text.instance} <Instance request={request} />
      </span>
      <MakeRuleLink request={request} />
    </p>
  );
}

/** The way back to the list, and to the requests around this one. */
function Way({ request }: Pick<RequestHeaderProps, 'request'>) {
  const search = useSearch({ from: '/signed-in/queue' });
  const { number, total, isMore, previous, next } = usePlace(request.id);
  return (
    <div className={classes['way']}>
      <Link to="/" search={search} className={classes['back']}>
        {text.back}
      </Link>
      {number !== undefined && (
        <nav aria-label={text.around} className={classes['place']}>
          <span>{text.placeOf(number, total, isMore)}</span>
          <Step id={previous} label={text.previous}>
            <path d="M10 3 5 8l5 5" />
          </Step>
          <Step id={next} label={text.following}>
            <path d="m6 3 5 5-5 5" />
          </Step>
        </nav>
      )}
    </div>
  );
}

interface StepProps {
  /** Undefined at the end of the list. */
  readonly id: string | undefined;
  readonly label: string;
  readonly children: ReactNode;
}

function Step({ id, label, children }: StepProps) {
  const search = useSearch({ from: '/signed-in/queue' });
  const arrow = (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className={classes['arrow']}>
      {children}
    </svg>
  );
  if (id === undefined)
    return (
      <span className={classes['step']} data-none>
        {arrow}
      </span>
    );
  return (
    <Link
      to="/requests/$id"
      params={{ id }}
      search={search}
      replace
      className={classes['step']}
      aria-label={label}
      title={label}
    >
      {arrow}
    </Link>
  );
}
