/** Earlier like this: how requests of the same agent and tool with the same main value were decided, and identical ones that wait. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { decodedSource } from '../../../../../src/platform/json/source-values.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Main } from '../../../shared/call/presented-call.ts';
import { PartFailed } from '../../../shared/page/states.tsx';

import { requests as requestText } from '../../../shared/text/requests.ts';
import { DecidedBy, OutcomeSign } from '../decided-by.tsx';
import { Deadline } from '../deadline.tsx';
import { headlineOf } from '../headline.ts';
import type { Summary } from '../queue/change-log.ts';
import type { RequestDetail } from '../requests-data.ts';
import { likeQuery, likeSearch, mainText, type Like } from './earlier.ts';
import { earlier as text } from './earlier-text.ts';
import classes from './earlier-section.module.css';

interface EarlierSectionProps {
  readonly request: RequestDetail;
  readonly main: readonly Main[];
}

export function EarlierSection({ request, main }: EarlierSectionProps) {
  const q = mainText(main);
  const like = useQuery(likeQuery(request, q));
  if (like.isPending) return null;
  return (
    <section className={classes['earlier']} aria-labelledby="earlier">
      <h2 id="earlier">{text.title}</h2>
      {like.isError && <PartFailed part={like} />}
      {like.data && <Found like={like.data} request={request} q={q} />}
    </section>
  );
}

interface FoundProps extends Pick<EarlierSectionProps, 'request'> {
  readonly like: Like;
  readonly q: string | undefined;
}

function Found({ like: { decided, identical }, request, q }: FoundProps) {
  return (
    <>
      {identical.length > 0 && (
        <>
          <h3>{text.identical}</h3>
          <Rows requests={identical} about={(each) => <Waiting request={each} />} />
        </>
      )}
      <p className={classes['hint']}>
        {decided.length === 0 ? text.none : text.same}
        {q !== undefined && (
          <>
            {text.with} “<ForeignText text={decodedSource(`"${q}"`).slice(1, -1)} isSource isName />
            ” {text.inArguments}
          </>
        )}
        {'. '}
        {decided.length > 0 && (
          <Link to="/" search={likeSearch(request, q)}>
            {text.all}
          </Link>
        )}
      </p>
      {decided.length > 0 && (
        <Rows requests={decided} about={(each) => <Decided request={each} />} />
      )}
    </>
  );
}

interface RowsProps {
  readonly requests: readonly Summary[];
  readonly about: (request: Summary) => ReactNode;
}

function Rows({ requests, about }: RowsProps) {
  return (
    <ul className={classes['rows']}>
      {requests.map((request) => {
        const { title, rest } = headlineOf(request);
        const shown = title ?? rest;
        return (
          <li key={request.id} className={classes['row']}>
            <Link
              to="/requests/$id"
              params={{ id: request.id }}
              search={(kept) => kept}
              className={classes['link']}
            >
              <ForeignText text={shown === '' ? request.tool : shown} isName />
            </Link>
            <span className={classes['about']}>{about(request)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Waiting({ request }: { readonly request: Summary }) {
  return (
    <>
      {requestText.asked} <Instant at={request.created_at} as="clock" focusable={false} />
      {' · '}
      <Deadline request={request} focusable={false} />
    </>
  );
}

/** Outcome, who and when. */
function Decided({ request: { status, decision, updated_at: at } }: { readonly request: Summary }) {
  return (
    <>
      <span className={classes['outcome']} data-status={status}>
        <OutcomeSign status={status} /> {requestText.status[status]}
      </span>{' '}
      {decision ? (
        <DecidedBy decision={decision} focusable={false} />
      ) : (
        <Instant at={at} as="clock" focusable={false} />
      )}
      {decision?.note !== undefined && (
        <span className={classes['note']}>
          “<ForeignText text={decision.note} isName />”
        </span>
      )}
    </>
  );
}
