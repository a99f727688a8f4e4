/** One person: who they are, what they belong to, and how they leave. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { EffectiveRights } from '../../../shared/access/effective-rights.tsx';
import { PolicyList } from '../../../shared/access/policy-list.tsx';
import { namesQuery } from '../../../shared/api/names.ts';
import note from '../../../shared/design/note.module.css';
import { Instant } from '../../../shared/design/instant.tsx';
import { Fact, Facts } from '../../../shared/design/lists/facts.tsx';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { TeamLink } from '../../../shared/page/person-links.tsx';
import { TroubledChannels } from '../../../shared/notifications/troubled-channels.tsx';
import { Failed, Loading, MissingPermission, PartFailed } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission, type Account } from '../../../shared/session/session.ts';
import { MemberMark } from '../members/member-mark.tsx';
import { memberQuery, type MemberDetail as Person } from '../people-data.ts';
import { Subject } from '../subject.tsx';
import { people as listText, person as text } from '../text.ts';
import { Identities } from './identities.tsx';
import { Keys } from './keys.tsx';
import { LeaveActions } from './leave-actions.tsx';
import { ResetFactor } from './reset-factor.tsx';
import { isOwner } from '../../../shared/session/ownership.ts';
import { standingOf } from './standing.ts';
import classes from '../people.module.css';

const READ = 'membership.read';

export function Member() {
  const { id } = useParams({ from: '/signed-in/people/people/$id' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const member = useQuery({ ...memberQuery(id), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (member.isPending) return <Loading />;
  if (!member.data) return <Failed error={member.error} reset={() => void member.refetch()} />;
  return <Shown key={id} member={member.data} account={account} />;
}

interface ShownProps {
  readonly member: Person;
  readonly account: Account;
}

function Shown({ member, account }: ShownProps) {
  const standing = standingOf(member, account);
  return (
    <Subject
      name={member.display_name}
      back={<Link to="/people">{listText.title}</Link>}
      facts={
        <>
          <bdi>{member.email}</bdi>
          <MemberMark {...member} />
          {isOwner(member) && <Badge>{text.owner}</Badge>}
        </>
      }
      actions={standing.mayChange && <LeaveActions member={member} />}
    >
      <TroubledChannels channels={member.troubled_channels} />
      {standing.note !== undefined && <p className={note['note']}>{text[standing.note]}</p>}
      <Glance member={member} account={account} />
      <Teams ids={member.team_ids} isGone={member.status === 'deprovisioned'} />
      <EffectiveRights member={member} />
      <PolicyList holder={{ kind: 'member', id: member.id, name: member.display_name }} />
      <Identities member={member} account={account} />
      {hasPermission(account, 'api_key.read') && <Keys member={member} />}
    </Subject>
  );
}

function Glance({ member, account }: ShownProps) {
  const { has_second_factor: hasFactor, last_seen_at: seen } = member;
  const isSelf = member.id === account.principal.membership_id;
  const mayReset = hasPermission(account, 'membership.write') && hasFactor && !isSelf;
  return (
    <Panel title={text.facts}>
      <Facts>
        <Fact label={text.joined}>
          <Instant at={member.created_at} as="clock" /> {text.admission[member.admission_source]}
        </Fact>
        <Fact label={text.seen}>
          {seen === undefined ? listText.never : <Instant at={seen} as="ago" />}
        </Fact>
        <Fact label={text.factor}>
          <span className={classes['row']}>
            {hasFactor ? listText.on : listText.off}
            {mayReset && member.status !== 'deprovisioned' && <ResetFactor member={member} />}
          </span>
        </Fact>
      </Facts>
    </Panel>
  );
}

interface TeamsProps {
  readonly ids: readonly string[];
  readonly isGone: boolean;
}

function Teams({ ids, isGone }: TeamsProps) {
  const names = useQuery({ ...namesQuery(ids), enabled: ids.length > 0 });
  if (isGone) return null;
  return (
    <Panel title={text.teams} hint={ids.length > 0 ? text.teamsHint : undefined}>
      {ids.length === 0 && (
        <p>
          {text.noTeams} <Link to="/teams">{text.findTeam}</Link>
        </p>
      )}
      {names.isError && <PartFailed part={names} />}
      {names.data && (
        <ul className={classes['list']}>
          {ids.map((id) => (
            <li key={id}>
              <TeamLink id={id} name={names.data.get(id) ?? listText.unknownTeam} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
