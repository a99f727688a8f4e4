/** One key of the organization: whose it is, what it may do, when it was used, and revoking it. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Button } from '../../../shared/design/button.tsx';
import { mayReadAccess } from '../../../shared/access/granting.ts';
import {
  KeyState,
  KeyTimes,
  shortPrefix,
  WhyBlocked,
} from '../../../shared/access/keys/key-facts.tsx';
import { PolicyList } from '../../../shared/access/policy-list.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PageTitle } from '../../../shared/guide/page-title.tsx';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { accountQuery, hasPermission, type Account } from '../../../shared/session/session.ts';
import type { Key } from '../keys-data.ts';
import { Grants, KeyCan } from '../list/key-can.tsx';
import { useRevoking } from '../list/use-revoking.tsx';
import { keys as keysText } from '../text.ts';
import { keyQuery, revokeKey } from './organization-keys-data.ts';
import { Actor, Maker } from './person.tsx';
import { organization as text } from './text.ts';
import classes from '../keys.module.css';

const READ = 'api_key.read';

export function KeyPage() {
  const { id } = useParams({ from: '/signed-in/settings/keys/$id' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const key = useQuery({ ...keyQuery(id), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (key.isPending) return <Loading />;
  if (!key.data) return <Failed error={key.error} reset={() => void key.refetch()} />;
  return <Shown key={id} apiKey={key.data} account={account} />;
}

interface ShownProps {
  readonly apiKey: Key;
  readonly account: Account;
}

function Shown({ apiKey, account }: ShownProps) {
  useTitle(apiKey.name);
  const revoking = useRevoking(revokeKey, (asked) => <KeyCan apiKey={asked} />);
  const { id, name, kind, status } = apiKey;
  const mayRevoke = status === 'active' && hasPermission(account, 'api_key.revoke');
  return (
    <>
      <div className={classes['head']}>
        <div>
          <p className={classes['soft']}>
            <Link to="/settings/keys">{text.back}</Link>
          </p>
          <PageTitle>
            <ForeignText text={name} isName />
          </PageTitle>
          <p className={classes['state']}>
            <KeyState apiKey={apiKey} /> <code>{shortPrefix(apiKey)}</code>
          </p>
          <WhyBlocked apiKey={apiKey} />
        </div>
        {mayRevoke && (
          <Button
            isSecondary
            onClick={() => {
              revoking.ask(apiKey);
            }}
          >
            {keysText.revokeMore}
          </Button>
        )}
      </div>
      {revoking.result}
      <Glance apiKey={apiKey} />
      {kind === 'organization' && mayReadAccess(account) ? (
        <PolicyList holder={{ kind: 'api_key', id, name }} />
      ) : (
        <May apiKey={apiKey} />
      )}
      {revoking.dialog}
    </>
  );
}

function Glance({ apiKey }: { readonly apiKey: Key }) {
  const { created_at: made, last_used_at: used, assurance_at_issue: assurance } = apiKey;
  return (
    <Panel title={text.glance}>
      <Facts>
        <Fact label={text.actsAs}>
          <Actor apiKey={apiKey} />
        </Fact>
        <Fact label={text.madeBy}>
          <Maker apiKey={apiKey} />
        </Fact>
        <Fact label={text.made}>
          <Instant at={made} as="clock" /> {text.on(assurance === 'strong')}
        </Fact>
        <Fact label={text.lastUse}>
          {used === undefined ? text.never : <Instant at={used} as="ago" />}
        </Fact>
        <EndFact apiKey={apiKey} />
      </Facts>
      {apiKey.oauth_client && <KeyTimes apiKey={apiKey} />}
    </Panel>
  );
}

function EndFact({ apiKey }: { readonly apiKey: Key }) {
  const { status, expires_at: end, revoked_at: revoked, revocation_reason: reason } = apiKey;
  const ended = revoked ?? (status === 'expired' ? end : null);
  if (ended !== null)
    return (
      <Fact label={text.ended}>
        <Instant at={ended} as="clock" /> {reason && text.ending[reason]}
      </Fact>
    );
  return <Fact label={text.ends}>{end === null ? text.noEnd : <Instant at={end} as="in" />}</Fact>;
}

/** Of a personal key, and of any key to those who may not see policies. */
function May({ apiKey }: { readonly apiKey: Key }) {
  const { kind, status, permissions, effective_grants: now = [] } = apiKey;
  return (
    <Panel title={text.may} hint={text.mayHint[kind]}>
      <KeyCan apiKey={apiKey} />
      {kind === 'personal' && permissions !== null && status === 'active' && (
        <>
          <p className={classes['soft']}>{text.now}</p>
          <Grants grants={now} />
        </>
      )}
    </Panel>
  );
}
