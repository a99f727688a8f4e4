/** Where those who manage begin: first the setup, then what waits, how it is decided, and what needs someone. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Empty } from '../../shared/page/empty.tsx';
import { Page } from '../../shared/page/page.tsx';
import { Failed, Loading, MissingPermission } from '../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { Decided } from './figures/decided.tsx';
import { Ending, Silent } from './figures/agents.tsx';
import { WaitingNow } from './figures/waiting.tsx';
import { overviewQuery } from './home-data.ts';
import { Setup } from './setup/setup.tsx';
import { home as text } from './text.ts';
import classes from './home.module.css';

export function Home() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { setup } = useSearch({ from: '/signed-in/home' });
  const canSetUp = hasPermission(account, 'organization.settings.write');
  const isSetupShown = canSetUp && (account.onboarding.required || setup === true);
  const isHidden = canSetUp && !isSetupShown;
  return (
    <Page
      title={text.title}
      hint={text.hint}
      actions={
        isHidden && (
          <Link to="/home" search={{ setup: true }}>
            {text.showSetup}
          </Link>
        )
      }
    >
      {isSetupShown && <Setup />}
      {hasPermission(account, 'organization.read') ? (
        <Figures />
      ) : (
        !canSetUp && <MissingPermission permission="organization.read" />
      )}
    </Page>
  );
}

function Figures() {
  const overview = useQuery(overviewQuery);
  if (overview.isPending) return <Loading />;
  if (overview.isError)
    return <Failed error={overview.error} reset={() => void overview.refetch()} />;
  const { waiting, decided, ending, ending_keys: keys, silent } = overview.data;
  const requests = waiting.count + decided.by_people + decided.by_rules + decided.expired;
  return (
    <>
      {requests === 0 && <NothingYet />}
      {requests + ending.count + keys.count + silent.count > 0 && (
        <div className={classes['figures']}>
          {requests > 0 && <WaitingNow waiting={waiting} />}
          {requests > 0 && <Decided decided={decided} />}
          <Ending ending={ending} ending_keys={keys} />
          <Silent silent={silent} />
        </div>
      )}
    </>
  );
}

function NothingYet() {
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <Empty title={text.emptyTitle}>
      <p>{text.emptyHint}</p>
      {hasPermission(account, 'agent.read') && <Link to="/agents">{text.connect}</Link>}
    </Empty>
  );
}
