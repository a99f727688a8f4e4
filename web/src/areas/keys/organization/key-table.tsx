/** The keys of the organization, newest first, each with its way to its page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { KeyName, shortPrefix } from '../../../shared/access/keys/key-facts.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { DataTable, type Column } from '../../../shared/design/tables/data-table.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import type { Key } from '../keys-data.ts';
import type { OrganizationKeysSearch } from '../keys-search.ts';
import { KeyCan } from '../list/key-can.tsx';
import { useRevoking } from '../list/use-revoking.tsx';
import { keys as keysText } from '../text.ts';
import { organizationKeysQuery, revokeKey } from './organization-keys-data.ts';
import { Actor, Maker } from './person.tsx';
import { organization as text } from './text.ts';
import classes from '../keys.module.css';

interface KeyTableProps {
  readonly search: OrganizationKeysSearch;
  readonly change: (search: OrganizationKeysSearch) => void;
  readonly mayRevoke: boolean;
}

export function KeyTable({ search, change, mayRevoke }: KeyTableProps) {
  const list = useInfiniteQuery(organizationKeysQuery(search));
  const revoking = useRevoking(revokeKey, (apiKey) => <KeyCan apiKey={apiKey} />);
  return (
    <>
      {revoking.result}
      <PagedList
        list={list}
        rowsOf={(page) => page.keys}
        none={<Nothing {...{ search, change }} />}
      >
        {(keys) => (
          <div className={classes['sheet']}>
            <DataTable
              label={text.list}
              columns={columnsFor(mayRevoke ? revoking.ask : undefined)}
              rows={keys}
              keyOf={({ id }) => id}
              isFaded={({ status }) => status !== 'active'}
            />
          </div>
        )}
      </PagedList>
      {revoking.dialog}
    </>
  );
}

function Nothing({ search, change }: Omit<KeyTableProps, 'mayRevoke'>) {
  const { q, show, kind, by } = search;
  const isNarrowed = [q, kind, by].some((each) => each !== undefined);
  if (!isNarrowed && show === undefined)
    return (
      <Empty title={text.noneOf.active}>
        <p>{text.noneHint}</p>
      </Empty>
    );
  return (
    <NoMatch
      title={isNarrowed ? text.noMatch : text.noneOf[show ?? 'active']}
      onClear={() => {
        change({});
      }}
    />
  );
}

/** `onRevoke`: absent for those who may not. */
function columnsFor(onRevoke: ((apiKey: Key) => void) | undefined): readonly Column<Key>[] {
  const cells = {
    name: (apiKey: Key) => (
      <>
        <KeyName apiKey={apiKey}>
          <Link to="/settings/keys/$id" params={{ id: apiKey.id }}>
            <ForeignText text={apiKey.name} isName />
          </Link>
        </KeyName>
        <span className={classes['below']}>
          <code>{shortPrefix(apiKey)}</code>
        </span>
      </>
    ),
    actor: (apiKey: Key) => (
      <>
        <Actor apiKey={apiKey} />
        {apiKey.kind === 'organization' && (
          <span className={classes['below']}>
            {text.by.toLowerCase()} <Maker apiKey={apiKey} />
          </span>
        )}
      </>
    ),
    used: ({ last_used_at: used }: Key) =>
      used === undefined ? (
        <span className={classes['soft']}>{text.never}</span>
      ) : (
        <Instant at={used} as="ago" focusable={false} />
      ),
    ends: (apiKey: Key) => <EndCell apiKey={apiKey} />,
    ...(onRevoke && {
      acts: (apiKey: Key) =>
        apiKey.status === 'active' && (
          <Button
            isSecondary
            isSmall
            aria-label={keysText.revokeOf(apiKey.name)}
            onClick={() => {
              onRevoke(apiKey);
            }}
          >
            {keysText.revoke}
          </Button>
        ),
    }),
  } satisfies Partial<Record<keyof typeof text.columns, (apiKey: Key) => ReactNode>>;
  return Object.entries(cells).map(([key, cell]) => ({
    key,
    title: text.columns[key as keyof typeof text.columns],
    cell,
  }));
}

/** In the column of ends, so without the word. */
function EndCell({ apiKey }: { readonly apiKey: Key }) {
  const { status, expires_at: end, revoked_at: revoked, oauth_client: client } = apiKey;
  const ended = revoked ?? (status === 'expired' ? end : null);
  if (status !== 'active' && ended !== null)
    return (
      <span className={classes['soft']}>
        {text.endedAt[status]} <Instant at={ended} as="ago" focusable={false} />
      </span>
    );
  if (end === null) return <span className={classes['soft']}>{text.noLimit}</span>;
  return (
    <>
      <Instant at={end} as="in" focusable={false} />
      {client && <span className={classes['soft']}> {text.unlessRefreshed}</span>}
    </>
  );
}
