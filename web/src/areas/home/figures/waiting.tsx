/** What waits for people now, by team. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Instant } from '../../../shared/design/instant.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { mayAtTeam } from '../../../shared/session/may-at-team.ts';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import type { Overview } from '../home-data.ts';
import { home as text } from '../text.ts';
import classes from './figures.module.css';

type Waiting = Overview['waiting'];

export function WaitingNow({ waiting }: { readonly waiting: Waiting }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayOpen = hasPermission(account, 'request.read');
  if (waiting.count === 0)
    return (
      <Panel title={text.waiting}>
        <p>{text.nothingWaits}</p>
      </Panel>
    );
  const count = text.count(waiting.count);
  return (
    <Panel title={text.waiting} hint={waiting.teams.length > 0 ? text.waitingHint : undefined}>
      <p className={classes['main']}>
        <strong className={classes['number']}>
          {mayOpen ? (
            <Link to="/" search={{ tab: 'all' }}>
              {count}
            </Link>
          ) : (
            count
          )}
        </strong>
        <Oldest at={waiting.oldest_at} />
      </p>
      {waiting.teams.length > 0 && (
        <ul className={classes['rows']}>
          {waiting.teams.map((team) => (
            <Row
              key={team.team_id}
              name={<Team team={team} mayOpen={mayAtTeam(account, 'team.read', team.team_id)} />}
              {...team}
            />
          ))}
          {waiting.without_team.count > 0 && <Row name={text.noTeam} {...waiting.without_team} />}
        </ul>
      )}
    </Panel>
  );
}

interface TeamProps {
  readonly team: Waiting['teams'][number];
  readonly mayOpen: boolean;
}

function Team({ team: { team_id: teamId, team_name: name }, mayOpen }: TeamProps) {
  const shown = <ForeignText text={name} isName />;
  if (!mayOpen) return shown;
  return (
    <Link to="/teams/$teamId" params={{ teamId }}>
      {shown}
    </Link>
  );
}

interface RowProps {
  readonly name: ReactNode;
  readonly count: number;
  readonly oldest_at?: string;
}

function Row({ name, count, oldest_at: oldest }: RowProps) {
  return (
    <li className={classes['row']}>
      <span>{name}</span>
      <span className={classes['value']}>
        {text.count(count)} <Oldest at={oldest} />
      </span>
    </li>
  );
}

function Oldest({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <span className={classes['soft']}>
      {text.oldest} <Instant at={at} as="ago" focusable={false} />
    </span>
  );
}
