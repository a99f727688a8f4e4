/** The escalation paths of the organization. */
import { Button } from '../../shared/design/button.tsx';
import { NewPath } from './new/new-path.tsx';
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Instant } from '../../shared/design/instant.tsx';
import { Badge } from '../../shared/design/marks/badge.tsx';
import { DataTable, type Column } from '../../shared/design/tables/data-table.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { Empty, NoMatch } from '../../shared/page/empty.tsx';
import { ListFilter } from '../../shared/page/filter-bar.tsx';
import { PagedList } from '../../shared/page/list/paged-list.tsx';
import { Page } from '../../shared/page/page.tsx';
import { MissingPermission } from '../../shared/page/states.tsx';
import type { ListSearch } from '../../shared/routes/list-search.ts';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import type { StartKind } from './document/path-edits.ts';
import { PathStarts } from './new/path-starts.tsx';
import { create } from './new/text.ts';
import { pathListQuery, type PathSummary } from './paths-data.ts';
import { paths as text } from './text.ts';

const READ = 'escalation_path.read';

export function Paths() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const [start, setStart] = useState<StartKind>();
  const mayCreate = hasPermission(account, 'escalation_path.write');
  const search = useSearch({ from: '/signed-in/rules/paths' });
  const navigate = useNavigate({ from: '/paths' });
  const mayRead = hasPermission(account, READ);
  const list = useInfiniteQuery({ ...pathListQuery(search), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  const change = (wanted: typeof search) => void navigate({ search: wanted, replace: true });
  return (
    <Page
      title={text.title}
      hint={text.hint}
      actions={
        mayCreate && (
          <Button
            onClick={() => {
              setStart('team');
            }}
          >
            {create.open}
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
        rowsOf={(page) => page.escalation_paths}
        none={<NoPath {...{ search, change }} onStart={mayCreate ? setStart : undefined} />}
      >
        {(paths) => (
          <DataTable
            label={text.title}
            columns={COLUMNS}
            rows={paths}
            keyOf={({ path_key: key }) => key}
            isFaded={({ archived_at: at }) => at !== undefined}
          />
        )}
      </PagedList>
      {start && (
        <NewPath
          start={start}
          onClose={() => {
            setStart(undefined);
          }}
        />
      )}
    </Page>
  );
}

interface NoPathProps {
  readonly search: ListSearch<'archived'>;
  readonly change: (search: ListSearch<'archived'>) => void;
  /** Undefined for people who may not. */
  readonly onStart: ((start: StartKind) => void) | undefined;
}

function NoPath({ search: { q, show }, change, onStart }: NoPathProps) {
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
      {onStart && <PathStarts onStart={onStart} />}
    </Empty>
  );
}

const COLUMNS: readonly Column<PathSummary>[] = [
  {
    key: 'name',
    title: text.name,
    cell: ({ path_key: key, name }) => (
      <>
        <Link to="/paths/$pathKey" params={{ pathKey: key }}>
          <ForeignText text={name} isName />
        </Link>{' '}
        <code>{key}</code>
      </>
    ),
  },
  {
    key: 'active',
    title: text.state,
    cell: ({ active_revision: active }) =>
      active === undefined ? (
        <Badge tone="dashed">{text.noneActive}</Badge>
      ) : (
        <Badge tone="good">{text.active(active)}</Badge>
      ),
  },
  {
    key: 'changed',
    title: text.changed,
    cell: ({ latest_created_at: at }) => <Instant at={at} as="ago" />,
  },
];
