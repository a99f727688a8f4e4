/** What the agent knows, step by step, and what it would do with the decision. */
import { readSource } from '../../../../../src/platform/json/source-values.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import type { AgentRequest, Outcome } from './agent-calls.ts';
import type { Course } from './course.ts';
import { decisionQuery } from './demo-data.ts';
import { demo as text } from './text.ts';
import classes from './demo.module.css';

export function Steps({ course: { request, isResumed, state } }: { readonly course: Course }) {
  return (
    <ol className={classes['steps']} role="list" aria-live="polite">
      {request ? (
        <>
          <Step title={isResumed ? text.resumed : text.sent} isDone>
            <p>{text.asked(amountOf(request), valueOf(request, '/payment_id'))}</p>
          </Step>
          <Decision request={request} />
        </>
      ) : (
        state !== 'lost' && <Step title={text.sending} />
      )}
      {state === 'retrying' && (
        <li className={classes['step']} role="alert">
          <p>{text.retrying}</p>
        </li>
      )}
      {state === 'lost' && (
        <Step title={text.lost}>
          <p role="alert">{text.lostHint}</p>
        </Step>
      )}
    </ol>
  );
}

function valueOf({ arguments: sent }: AgentRequest, pointer: string): string {
  const value = readSource(sent.text)?.at(pointer);
  return (value?.kind === 'string' ? value.characters : value?.source) ?? '';
}

const amountOf = (request: AgentRequest): string => valueOf(request, '/amount');

interface StepProps {
  readonly title: ReactNode;
  readonly isDone?: boolean;
  readonly outcome?: Outcome;
  readonly children?: ReactNode;
}

function Step({ title, isDone = false, outcome, children }: StepProps) {
  return (
    <li className={classes['step']} data-done={isDone} data-outcome={outcome}>
      <span className={classes['sign']} aria-hidden="true" />
      <h3>{title}</h3>
      {children}
    </li>
  );
}

function Decision({ request }: { readonly request: AgentRequest }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, 'request.read');
  const { status } = request;
  const { data, isPending } = useQuery({
    ...decisionQuery(request.id, status),
    enabled: mayRead,
  });
  if (mayRead && (isPending || (status === 'pending' && data?.isEvaluating)))
    return <Step title={text.evaluating} />;
  const rule = data?.channel === 'pipeline';
  if (status !== 'pending' && rule && (status === 'approved' || status === 'denied'))
    return (
      <>
        <Step title={text.byRule[status]} isDone outcome={status}>
          <Note request={request} />
        </Step>
        <Next request={request} status={status} />
      </>
    );
  return (
    <>
      <Step title={text.toPerson} isDone />
      {status === 'pending' ? (
        <Step title={text.waiting}>
          <p>
            {text.waitingHint} <Instant at={request.deadline_at} as="in" focusable={false} />.
          </p>
          <Where id={request.id} mayRead={mayRead} mayDecide={data?.mayDecide} />
        </Step>
      ) : (
        <>
          <Step
            title={
              <>
                {text.outcome[status]}{' '}
                {data?.reviewer !== undefined && (
                  <>
                    {text.by} <ForeignText text={data.reviewer} isName />
                  </>
                )}
              </>
            }
            isDone
            outcome={status}
          >
            <Note request={request} />
          </Step>
          <Next request={request} status={status} />
        </>
      )}
    </>
  );
}

interface WhereProps {
  readonly id: string;
  readonly mayRead: boolean;
  /** Undefined until it is known. */
  readonly mayDecide: boolean | undefined;
}

function Where({ id, mayRead, mayDecide }: WhereProps) {
  if (!mayRead) return <p>{text.elsewhere}</p>;
  return (
    <>
      <p>
        <Link to="/requests/$id" params={{ id }} target="_blank" className={classes['open']}>
          {text.open}
        </Link>
      </p>
      <p className={classes['soft']}>{mayDecide === false ? text.cannotDecide : text.openHint}</p>
    </>
  );
}

function Note({ request: { decision } }: { readonly request: AgentRequest }) {
  if (decision?.note === undefined) return null;
  return (
    <p>
      {text.note} <ForeignText text={decision.note} />
    </p>
  );
}

function Next({ request, status }: { readonly request: AgentRequest; readonly status: Outcome }) {
  const note = request.decision?.note;
  return (
    <Step title={text.next} outcome={status}>
      <p>
        {status === 'approved' && text.does.approved(amountOf(request))}
        {status === 'denied' && (note === undefined ? text.does.deniedSilently : text.does.denied)}
        {status === 'expired' && text.does.expired}
        {status === 'cancelled' && text.does.cancelled}
      </p>
      {status === 'denied' && note !== undefined && (
        <blockquote className={classes['quote']}>
          <ForeignText text={note} />
        </blockquote>
      )}
    </Step>
  );
}
