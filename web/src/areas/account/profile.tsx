/** Who a person is here, and what they may do. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { isOwner } from '../../shared/session/ownership.ts';
import { accountQuery, type Account } from '../../shared/session/session.ts';
import { useTitle } from '../../shared/page/title.ts';
import { Failed, Loading } from '../../shared/page/states.tsx';
import { account as text } from '../../shared/text/account.ts';
import { abilitiesOf, namedIds, type Ability } from './abilities.ts';
import { namesQuery } from '../../shared/api/names.ts';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import classes from './profile.module.css';
import { Page } from '../../shared/page/page.tsx';

type Names = ReadonlyMap<string, string>;

export function Profile() {
  useTitle(text.profile);
  const { data: account } = useSuspenseQuery(accountQuery);
  const names = useQuery(namesQuery(namedIds(account)));
  if (names.isPending) return <Loading />;
  if (names.isError) return <Failed error={names.error} reset={() => void names.refetch()} />;
  return (
    <Page title={text.profile}>
      <Person account={account} names={names.data} />
      <Abilities account={account} names={names.data} />
    </Page>
  );
}

function Person({ account, names }: { readonly account: Account; readonly names: Names }) {
  const { user, organization, principal } = account;
  const teams = principal.team_ids.map((id) => names.get(id) ?? text.unnamed).toSorted();
  return (
    <Panel title={<bdi>{user.display_name}</bdi>} hint={isOwner(account) ? text.owner : undefined}>
      <Facts>
        <Fact label={text.email}>
          <bdi>{user.email}</bdi>
        </Fact>
        <Fact label={text.organization}>
          <bdi>{organization.name}</bdi>
        </Fact>
        <Fact label={text.teams}>
          {teams.length === 0 ? (
            text.noTeams
          ) : (
            <ul className={classes['teams']}>
              {teams.map((team, index) => (
                <li key={index}>
                  <bdi>{team}</bdi>
                </li>
              ))}
            </ul>
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}

function Abilities({ account, names }: { readonly account: Account; readonly names: Names }) {
  const areas = abilitiesOf(account.principal.grants);
  if (areas.length === 0)
    return (
      <Panel title={text.abilitiesTitle}>
        <p>{text.noAbilities}</p>
      </Panel>
    );
  return (
    <Panel title={text.abilitiesTitle} hint={text.abilitiesHint}>
      <div className={classes['areas']}>
        {areas.map(({ area, abilities }) => (
          <section key={area} className={classes['area']}>
            <h3>{area}</h3>
            <ul className={classes['abilities']}>
              {abilities.map((ability) => (
                <li key={ability.permission}>
                  {ability.text}
                  <Scopes scopes={ability.scopes} names={names} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Panel>
  );
}

function Scopes({ scopes, names }: { readonly scopes: Ability['scopes']; readonly names: Names }) {
  if (scopes.length === 0) return null;
  return (
    <span className={classes['scopes']}>
      {text.only}{' '}
      {scopes.map(({ kind, id }, index) => (
        <span key={`${kind} ${id}`}>
          {index > 0 && ', '}
          {text[kind]} <bdi>{names.get(id) ?? id}</bdi>
        </span>
      ))}
    </span>
  );
}
