/** The teams of the organization. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { DataTable, type Column } from '../../../shared/design/tables/data-table.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { TeamLink } from '../../../shared/page/person-links.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { mayAtTeam } from '../../../shared/session/may-at-team.ts';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { teamsQuery, type Team } from '../people-data.ts';
import type { TeamsSearch } from '../people-search.ts';
import { CreateTeam } from './create-team.tsx';
import { teams as text } from './text.ts';
import classes from '../people.module.css';

const READ = 'team.read';

export function Teams() {
  const search = useSearch({ from: '/signed-in/people/teams' });
  const navigate = useNavigate({ from: '/teams' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const [isCreating, setCreating] = useState(false);
  const mayRead = hasPermission(account, READ);
  const list = useInfiniteQuery({ ...teamsQuery(search), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  const change = (wanted: TeamsSearch) => void navigate({ search: wanted, replace: true });
  return (
    <Page
      title={text.title}
      hint={text.hint}
      actions={
        mayAtTeam(account, 'team.write', undefined) && (
          <Button
            onClick={() => {
              setCreating(true);
            }}
          >
            {text.create}
          </Button>
        )
      }
    >
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="live"
        search={search}
        onChange={change}
      />
      <PagedList
        list={list}
        rowsOf={(page) => page.teams}
        none={<NoTeam {...{ search, change }} />}
      >
        {(teams) => (
          <div className={classes['sheet']}>
            <DataTable
              label={text.title}
              columns={COLUMNS}
              rows={teams}
              keyOf={({ id }) => id}
              isFaded={({ archived_at: at }) => at !== null}
            />
          </div>
        )}
      </PagedList>
      {isCreating && (
        <CreateTeam
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<Team>[] = [
  {
    key: 'name',
    title: text.columns.name,
    cell: ({ id, name, directory_managed: isManaged }) => (
      <>
        <TeamLink id={id} name={name} /> {isManaged && <Badge>{text.managed}</Badge>}
      </>
    ),
  },
  {
    key: 'members',
    title: text.columns.members,
    isNumber: true,
    cell: ({ member_count: count }) => count,
  },
  {
    key: 'policy',
    title: text.columns.policy,
    cell: ({ id, escalation_policy: { active_revision: revision } }) => (
      <Link to="/teams/$teamId/policy" params={{ teamId: id }}>
        {revision === null ? text.noPolicy : text.policy(revision)}
      </Link>
    ),
  },
];

interface NoTeamProps {
  readonly search: TeamsSearch;
  readonly change: (search: TeamsSearch) => void;
}

function NoTeam({ search: { q, show }, change }: NoTeamProps) {
  if (q !== undefined || show !== undefined)
    return (
      <NoMatch
        title={q === undefined ? text.noneArchived : text.noMatch}
        onClear={() => {
          change({});
        }}
      />
    );
  return (
    <Empty title={text.none}>
      <p>{text.noneHint}</p>
    </Empty>
  );
}
