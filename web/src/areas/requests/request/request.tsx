/** One request: who asks for what and why people are asked, what happened, and the decision. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { CallFindings } from '../../../../../src/domain/shown/page/call-findings.ts';
import type { Flag } from '../../../../../src/domain/shown/flags.ts';
import { mainValuesOf } from '../../../../../src/domain/shown/main-values.ts';
import { shownWith } from '../../../../../src/domain/shown/shown-call.ts';
import { shownLine } from '../../../../../src/domain/shown-text.ts';
import { readSource, type SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { ApiError } from '../../../shared/api/api.ts';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { useIsDrawn } from '../../../shared/browser/next-draw.ts';
import { isBusy } from '../../../shared/api/retries.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { Failed, Loading } from '../../../shared/page/states.tsx';
import { Part } from '../../../shared/design/part.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { session as sessionText } from '../../../shared/text/session.ts';
import { useDecisionState, type DecidableCall } from '../decision/decision-data.ts';
import { CannotDecide } from '../decision/cannot-decide.tsx';
import { DecideBar } from '../decision/decide-bar.tsx';
import { LastDecision, useOpenNext } from '../decision/open-next.tsx';
import { Outcome } from '../decision/outcome.tsx';
import { ReadingContext } from '../../../shared/exact/reading.ts';
import { CallSection } from '../call/call-section.tsx';
import { FlagList } from '../call/flag-list.tsx';
import { useRequestReading, useUnrevealed } from '../../../shared/call/request-reading.ts';
import { usePlace } from '../queue/queue-data.ts';
import { useFindings } from '../findings/use-findings.ts';
import { PeopleSection } from '../people/people-section.tsx';
import { requestQuery, type RequestDetail } from '../requests-data.ts';
import { RequestHeader } from './request-header.tsx';
import classes from './request.module.css';

// What is decided is drawn first, and what is below it later.
const TimelineSection = lazy(async () => {
  const { TimelineSection: component } = await loadPart(
    () => import('../timeline/timeline-section.tsx'),
  );
  return { default: component };
});
const EarlierSection = lazy(async () => {
  const { EarlierSection: component } = await loadPart(() => import('./earlier-section.tsx'));
  return { default: component };
});

export function Request() {
  const { id } = useParams({ from: '/signed-in/queue/requests/$id' });
  const { data, error, failureReason, isPending, refetch } = useQuery(requestQuery(id));
  useTitle(data ? `${shownLine(data.tool)} · ${shownLine(data.agent_name)}` : text.queueTitle);
  if (isPending) return <Loading why={isBusy(failureReason) ? sessionText.busy : undefined} />;
  // What was read before does not stay once the service refuses it.
  if (!data || isRefused(error)) return <Failed error={error} reset={() => void refetch()} />;
  return <Read key={data.id} request={data} />;
}

function Read({ request }: Pick<ShownProps, 'request'>) {
  const findings = useFindings(request);
  return findings ? <Shown request={request} findings={findings} /> : <Loading />;
}

const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && [403, 404].includes(error.status);

/** What the page shows of a request, and what its reader has opened. */
function useShown(request: RequestDetail, { hidden, hiddenInContext, cuts, flags }: CallFindings) {
  const whole = useSource(request.arguments.text);
  const context = useSource(request.context?.text);
  const call = useMemo(
    () => shownWith({ whole }, request.presentation, { hidden, hiddenInContext }),
    [request.presentation, whole, hidden, hiddenInContext],
  );
  const reading = useRequestReading(request.id);
  const unopened = useMemo(
    () =>
      cuts.flatMap((offset) => (whole && !reading.opened.has(offset) ? [whole.from(offset)] : [])),
    [cuts, whole, reading.opened],
  );
  return { whole, context, call, cuts, flags, reading, unopened };
}

interface ShownProps {
  readonly request: RequestDetail;
  readonly findings: CallFindings;
}

function Shown({ request, findings }: ShownProps) {
  const { whole, context, call, cuts, flags, reading, unopened } = useShown(request, findings);
  const main = mainValuesOf(call, whole);
  const unrevealed = useUnrevealed(call, reading);
  const isDrawn = useIsDrawn();
  return (
    <ReadingContext value={reading}>
      <article
        id="request"
        className={classes['request']}
        aria-labelledby="request-title"
        tabIndex={-1}
      >
        <div className={classes['columns']}>
          <div className={classes['main']}>
            <Part>
              <LastDecision id={request.id} />
            </Part>
            <Part>
              <RequestHeader request={request} call={call} />
            </Part>
            <Flags flags={flags} />
            <Part>
              <CallSection {...{ request, whole, context, call }} isShort={cuts.length === 0} />
            </Part>
            <div className={classes['earlier']}>
              {isDrawn && (
                <Part>
                  <Suspense>
                    <EarlierSection request={request} main={main} />
                  </Suspense>
                </Part>
              )}
            </div>
          </div>
          <Side request={request} isDrawn={isDrawn} />
        </div>
        <Part>
          <Decision
            request={request}
            isReadable={whole !== undefined}
            title={call.presented?.title}
            main={main}
            flags={flags}
            hidden={call.hidden}
            unrevealed={unrevealed}
            unopened={unopened}
          />
        </Part>
      </article>
    </ReadingContext>
  );
}

const FIRST_FLAGS = 6;

function Flags({ flags }: { readonly flags: readonly Flag[] }) {
  if (flags.length === 0) return null;
  return (
    <details className={classes['flags']} open>
      <summary>{text.flags(flags.length)}</summary>
      <Part>
        <FlagList flags={flags} first={FIRST_FLAGS} />
      </Part>
    </details>
  );
}

/** Who is asked, and below it what happened. */
function Side({
  request,
  isDrawn,
}: {
  readonly request: RequestDetail;
  readonly isDrawn: boolean;
}) {
  return (
    <aside className={classes['side']}>
      <Part>
        <PeopleSection request={request} />
      </Part>
      {isDrawn && (
        <Part>
          <Suspense>
            <TimelineSection request={request} />
          </Suspense>
        </Part>
      )}
    </aside>
  );
}

/** The JSON in a text, which is read once. */
const useSource = (source: string | undefined): SourceValue | undefined =>
  useMemo(() => (source === undefined ? undefined : readSource(source)), [source]);

function Decision(props: DecidableCall) {
  const { request } = props;
  const { data: account } = useSuspenseQuery(accountQuery);
  const { isSending } = useDecisionState(request.id);
  const { toDecide } = usePlace(request.id);
  useOpenNext({ id: request.id, status: request.status, next: toDecide });
  if (request.status !== 'pending')
    return <Outcome request={request} account={account} next={toDecide} />;
  if (request.can_decide || isSending) return <DecideBar {...props} />;
  return <CannotDecide request={request} />;
}
