/** The lists of one's own keys, and revoking one of them. */
import { useQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { KeyName, KeyTimes, WhyBlocked } from '../../../shared/access/keys/key-facts.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { mfaQuery } from '../../../shared/session/session.ts';
import { revokeOwnKey, type Key, type OwnKeysSearch } from '../keys-data.ts';
import { MayDo } from '../list/may-do.tsx';
import { useRevoking } from '../list/use-revoking.tsx';
import { keys as text } from '../text.ts';

interface OwnKeyListsProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<{ readonly keys: readonly Key[] }>>;
  readonly search: OwnKeysSearch;
  readonly change: (search: OwnKeysSearch) => void;
}

export function OwnKeyLists({ list, search, change }: OwnKeyListsProps) {
  const revoking = useRevoking(revokeOwnKey, ({ permissions }) => (
    <MayDo permissions={permissions} everything={text.everything} />
  ));
  const rows = (of: readonly Key[]) => (
    <Items>
      {of.map((key) => (
        <Row
          key={key.id}
          apiKey={key}
          onRevoke={() => {
            revoking.ask(key);
          }}
        />
      ))}
    </Items>
  );
  return (
    <>
      {revoking.result}
      <PagedList
        list={list}
        rowsOf={(page) => page.keys}
        none={<Nothing {...{ search, change }} />}
      >
        {(keys) => <Groups {...{ keys, rows }} />}
      </PagedList>
      {revoking.dialog}
    </>
  );
}

interface GroupsProps {
  readonly keys: readonly Key[];
  readonly rows: (of: readonly Key[]) => ReactNode;
}

function Groups({ keys, rows }: GroupsProps) {
  const mine = keys.filter((key) => key.oauth_client === undefined);
  const programs = keys.filter((key) => key.oauth_client !== undefined);
  return (
    <>
      {mine.length > 0 && <Panel title={text.mine}>{rows(mine)}</Panel>}
      {programs.length > 0 && (
        <Panel title={text.programs} hint={text.programsHint}>
          {rows(programs)}
        </Panel>
      )}
    </>
  );
}

function Nothing({ search: { q, show }, change }: Omit<OwnKeyListsProps, 'list'>) {
  if (q !== undefined || show !== undefined)
    return (
      <NoMatch
        title={q === undefined && show !== undefined ? text.noEnded[show] : text.noMatch}
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

function Row({ apiKey, onRevoke }: { readonly apiKey: Key; readonly onRevoke: () => void }) {
  const { permissions } = apiKey;
  const { data: mfa } = useQuery(mfaQuery);
  const canDecide = permissions === null || permissions.includes('request.decide');
  const isWeak = mfa?.required === true && canDecide && apiKey.assurance_at_issue !== 'strong';
  return (
    <Item
      name={<KeyName apiKey={apiKey} />}
      actions={
        apiKey.status === 'active' && (
          <Button isSecondary isSmall aria-label={text.revokeOf(apiKey.name)} onClick={onRevoke}>
            {text.revoke}
          </Button>
        )
      }
    >
      <MayDo permissions={permissions} everything={text.everything} />
      <KeyTimes apiKey={apiKey} />
      <WhyBlocked apiKey={apiKey} />
      {isWeak && <p>{text.weak}</p>}
    </Item>
  );
}
