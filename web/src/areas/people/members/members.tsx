/** The people of the organization. */
import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { namesQuery } from '../../../shared/api/names.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { DataTable, type Column } from '../../../shared/design/tables/data-table.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { PersonLink, TeamLink } from '../../../shared/page/person-links.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission, type Account } from '../../../shared/session/session.ts';
import { membersQuery, seatsQuery, teamChoicesQuery, type Member } from '../people-data.ts';
import type { PeopleSearch } from '../people-search.ts';
import { people as text } from '../text.ts';
import { MemberMark } from './member-mark.tsx';
import classes from '../people.module.css';

const READ = 'membership.read';

export function Members() {
  const search = useSearch({ from: '/signed-in/people/people' });
  const navigate = useNavigate();
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, READ);
  const list = useInfiniteQuery({ ...membersQuery(search), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  const change = (wanted: PeopleSearch) =>
    void navigate({ to: '/people', search: wanted, replace: true });
  return (
    <Page
      title={text.title}
      hint={<Seats account={account} />}
      actions={
        hasPermission(account, 'membership.invite') && (
          <Button onClick={() => void navigate({ to: '/people/invitations' })}>
            {text.invite}
          </Button>
        )
      }
    >
      <Filters {...{ search, change }} canReadTeams={hasPermission(account, 'team.read')} />
      <PagedList
        list={list}
        rowsOf={(page) => page.members}
        none={<NoOne {...{ search, change }} />}
      >
        {(members) => <MemberTable members={members} self={account.principal.membership_id} />}
      </PagedList>
    </Page>
  );
}

function Seats({ account }: { readonly account: Account }) {
  const mayRead = hasPermission(account, 'organization.read');
  const { data: seats } = useQuery({ ...seatsQuery, enabled: mayRead });
  return seats ? `${text.hint} ${text.seats(seats.used, seats.limit)}` : text.hint;
}

interface FiltersProps {
  readonly search: PeopleSearch;
  readonly change: (search: PeopleSearch) => void;
  readonly canReadTeams: boolean;
}

function Filters({ search, change, canReadTeams }: FiltersProps) {
  return (
    <div className={classes['filters']}>
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="active"
        search={search}
        onChange={change}
      />
      {canReadTeams && (
        <TeamFilter
          team={search.team ?? ''}
          onChoose={(team) => {
            const { team: _before, ...rest } = search;
            change({ ...rest, ...(team !== '' && { team }) });
          }}
        />
      )}
    </div>
  );
}

interface TeamFilterProps {
  readonly team: string;
  readonly onChoose: (team: string) => void;
}

function TeamFilter({ team, onChoose }: TeamFilterProps) {
  const { data: teams = [] } = useQuery(teamChoicesQuery);
  if (teams.length === 0 && team === '') return null;
  // Also one that is archived, or beyond the list.
  const isListed = team === '' || teams.some(({ id }) => id === team);
  return (
    <InlineSelect
      label={text.team}
      isLabelShown
      options={[
        { value: '', label: text.anyTeam },
        ...(isListed ? [] : [{ value: team, label: text.unknownTeam }]),
        ...teams.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={team}
      onChange={onChoose}
    />
  );
}

interface MemberTableProps {
  readonly members: readonly Member[];
  readonly self: string | undefined;
}

function MemberTable({ members, self }: MemberTableProps) {
  const teamIds = [...new Set(members.flatMap((member) => member.team_ids))].toSorted();
  const names = useQuery({ ...namesQuery(teamIds), enabled: teamIds.length > 0 });
  return (
    <div className={classes['sheet']}>
      <DataTable
        label={text.title}
        columns={columnsFor(self, names.data)}
        rows={members}
        keyOf={({ id }) => id}
        isFaded={({ status }) => status === 'deprovisioned'}
      />
    </div>
  );
}

interface NoOneProps {
  readonly search: PeopleSearch;
  readonly change: (search: PeopleSearch) => void;
}

function NoOne({ search: { q, show, team }, change }: NoOneProps) {
  const isNarrowed = q !== undefined || team !== undefined;
  if (!isNarrowed && show === undefined) return <Empty title={text.noneOf.active} />;
  return (
    <NoMatch
      title={isNarrowed ? text.noMatch : text.noneOf[show ?? 'active']}
      onClear={() => {
        change({});
      }}
    />
  );
}

function columnsFor(
  self: string | undefined,
  names: ReadonlyMap<string, string> | undefined,
): readonly Column<Member>[] {
  const cells: Readonly<Record<keyof typeof text.columns, (member: Member) => ReactNode>> = {
    name: ({ id, display_name: name }) => (
      <>
        <PersonLink id={id} name={name} />
        {id === self && <span className={classes['soft']}> ({text.you})</span>}
      </>
    ),
    email: ({ email }) => <bdi>{email}</bdi>,
    status: (member) => <MemberMark {...member} />,
    factor: ({ has_second_factor: has }) => (
      <span className={has ? undefined : classes['soft']}>{has ? text.on : text.off}</span>
    ),
    teams: ({ team_ids: ids }) => <Teams ids={ids} names={names} />,
    seen: ({ last_seen_at: seen }) =>
      seen === undefined ? (
        <span className={classes['soft']}>{text.never}</span>
      ) : (
        <Instant at={seen} as="ago" focusable={false} />
      ),
  };
  return (Object.keys(cells) as unknown as readonly (keyof typeof cells)[]).map((key) => ({
    key,
    title: text.columns[key],
    cell: cells[key],
  }));
}

interface TeamsProps {
  readonly ids: readonly string[];
  readonly names: ReadonlyMap<string, string> | undefined;
}

/** The row keeps its height while the names are read. */
function Teams({ ids, names }: TeamsProps) {
  if (ids.length === 0) return <span className={classes['soft']}>–</span>;
  if (!names) return '…';
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <TeamLink id={id} name={names.get(id) ?? text.unknownTeam} />
    </span>
  ));
}
