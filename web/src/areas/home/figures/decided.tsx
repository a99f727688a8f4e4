/** How requests were decided in the last days, and how fast. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Instant } from '../../../shared/design/instant.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { durationText } from '../../../shared/text/times.ts';
import type { Overview } from '../home-data.ts';
import { home as text } from '../text.ts';

export function Decided({ decided }: { readonly decided: Overview['decided'] }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayOpen = hasPermission(account, 'request.read');
  const { by_people: people, by_rules: rules, expired, since } = decided;
  const { median_seconds: median, long_seconds: long } = decided;
  const both = people + rules;
  if (both + expired === 0)
    return (
      <Panel title={text.decided}>
        <p>{text.noDecision}</p>
      </Panel>
    );
  return (
    <Panel title={text.decided} hint={<Since at={since} />}>
      <Facts>
        <Fact label={text.byPeople}>
          {mayOpen ? (
            <Link to="/" search={{ tab: 'decided' }}>
              {text.count(people)}
            </Link>
          ) : (
            text.count(people)
          )}
        </Fact>
        {median !== undefined && <Fact label={text.median}>{durationText(median)}</Fact>}
        {long !== undefined && <Fact label={text.long}>{durationText(long)}</Fact>}
        <Fact label={text.byRules}>
          {hasPermission(account, 'pipeline.read') ? (
            <Link to="/rules">{text.count(rules)}</Link>
          ) : (
            text.count(rules)
          )}
          {both > 0 && ` · ${text.shareOf(rules, both)}`}
        </Fact>
        <Fact label={text.expired}>
          {mayOpen ? (
            <Link to="/" search={{ tab: 'decided', status: 'expired' }}>
              {text.count(expired)}
            </Link>
          ) : (
            text.count(expired)
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}

/** Seven days ago, or later where there are very many decisions. */
function Since({ at }: { readonly at: string }) {
  return (
    <>
      {text.decidedSince} <Instant at={at} as="clock" focusable={false} />.
    </>
  );
}
