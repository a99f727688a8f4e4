/** How the last attempts to post to an endpoint went. */
import { Instant } from '../../../shared/design/instant.tsx';
import { StateMark } from '../../../shared/design/marks/badge.tsx';
import type { Summary } from '../endpoints-data.ts';
import { failureText } from '../failure-text.ts';
import { endpoints as text } from '../text.ts';

export function Lately({ recent }: { readonly recent: Summary['recent_deliveries'] }) {
  if (!recent) return text.never;
  const { attempted_at: at, failed_count: failed } = recent;
  const failure = failureText(recent);
  return (
    <>
      <StateMark tone={failure === undefined ? 'good' : 'danger'}>
        {failure === undefined ? text.works : text.fails}
      </StateMark>{' '}
      · <Instant at={at} as="ago" focusable={false} />
      {failure !== undefined && (
        <>
          <br />
          {failure}
        </>
      )}
      {failed > 0 && (
        <>
          <br />
          {text.failed(failed)}
        </>
      )}
    </>
  );
}
