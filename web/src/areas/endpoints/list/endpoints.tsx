/** The systems that rules ask, how they are doing, and a new one. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { DataTable, type Column } from '../../../shared/design/tables/data-table.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import type { ListSearch } from '../../../shared/routes/list-search.ts';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { endpointListQuery, isWithoutKey, type Summary } from '../endpoints-data.ts';
import { StateBadge } from '../state-badge.tsx';
import { endpoints as text } from '../text.ts';
import { WithoutKey } from '../without-key.tsx';
import { Lately } from './lately.tsx';
import { NewEndpoint, useNewEndpoint } from './new-endpoint.tsx';

const READ = 'webhook.read';

export function Endpoints() {
  const search = useSearch({ from: '/signed-in/rules/endpoints' });
  const navigate = useNavigate({ from: '/endpoints' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const creating = useNewEndpoint();
  const mayRead = hasPermission(account, READ);
  const list = useInfiniteQuery({ ...endpointListQuery(search), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission={READ} />;
  if (isWithoutKey(list.error)) return <WithoutKey />;
  if (creating.secret !== undefined)
    return (
      <Page title={text.title} hint={text.hint}>
        <NewEndpoint creating={creating} />
      </Page>
    );
  const mayCreate = hasPermission(account, 'webhook.write');
  const button = mayCreate && <Button onClick={creating.open}>{text.create}</Button>;
  const change = (wanted: typeof search) => void navigate({ search: wanted, replace: true });
  return (
    <Page title={text.title} hint={text.hint} actions={button}>
      <NewEndpoint creating={creating} />
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="live"
        search={search}
        onChange={change}
      />
      <PagedList
        list={list}
        rowsOf={(page) => page.webhook_endpoints}
        none={<NoEndpoint {...{ search, change }}>{button}</NoEndpoint>}
      >
        {(rows) => (
          <DataTable
            label={text.title}
            columns={COLUMNS}
            rows={rows}
            keyOf={({ endpoint_key: key }) => key}
          />
        )}
      </PagedList>
    </Page>
  );
}

interface NoEndpointProps {
  readonly search: ListSearch<'archived'>;
  readonly change: (search: ListSearch<'archived'>) => void;
  /** What to do where there is none. */
  readonly children: ReactNode;
}

function NoEndpoint({ search: { q, show }, change, children }: NoEndpointProps) {
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
      {children}
    </Empty>
  );
}

/** The URL may have a secret in its path, so a list shows only where it leads. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

const COLUMNS: readonly Column<Summary>[] = [
  {
    key: 'name',
    title: text.name,
    cell: ({ endpoint_key: key, name }) => (
      <>
        <Link to="/endpoints/$endpointKey" params={{ endpointKey: key }}>
          <ForeignText text={name} isName />
        </Link>{' '}
        <code>{key}</code>
      </>
    ),
  },
  { key: 'host', title: text.host, cell: ({ url }) => <ForeignText text={hostOf(url)} isName /> },
  { key: 'state', title: text.state, cell: (endpoint) => <StateBadge {...endpoint} /> },
  {
    key: 'lately',
    title: text.lately,
    cell: ({ recent_deliveries: recent }) => <Lately recent={recent} />,
  },
  {
    key: 'uses',
    title: text.usedBy,
    cell: ({ uses }) => (uses.length === 0 ? text.notUsed : text.rules(uses.length)),
  },
];
