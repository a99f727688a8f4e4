/** The reader's own API keys: those they made, and those of programs that they let in. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useFocusBack } from '../../../shared/design/dialogs/focus-back.ts';
import note from '../../../shared/design/note.module.css';
import { Page } from '../../../shared/page/page.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { permissionText } from '../../../shared/text/permissions.ts';
import { ownKeysQuery, type OwnKeysSearch } from '../keys-data.ts';
import { keys as text } from '../text.ts';
import { NewOwnKey } from './new-own-key.tsx';
import { OwnKeyLists } from './own-key-lists.tsx';

const NEEDED = 'api_key.issue';

export function OwnKeys() {
  const search = useSearch({ from: '/signed-in/account/keys' });
  const navigate = useNavigate({ from: '/account/keys' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const list = useInfiniteQuery(ownKeysQuery(search));
  const [isCreating, setCreating] = useState(false);
  const opener = useFocusBack(isCreating);
  const options = list.data?.pages[0];
  const mayIssue = hasPermission(account, NEEDED);
  const change = (wanted: OwnKeysSearch) => void navigate({ search: wanted, replace: true });
  const isAllowed = options?.personal_api_keys_allowed !== false;
  const create = mayIssue && isAllowed && !isCreating && (
    <Button
      ref={opener}
      onClick={() => {
        setCreating(true);
      }}
    >
      {text.create}
    </Button>
  );
  return (
    <Page title={text.title} hint={text.ownHint} actions={create}>
      {!isAllowed && <p className={note['warning']}>{text.notAllowed}</p>}
      {!mayIssue && <p className={note['note']}>{text.mayNotIssue(permissionText(NEEDED))}</p>}
      {isCreating && options && (
        <NewOwnKey
          bearable={options.bearable_permissions}
          isScoped={options.scoping_enabled}
          latest={options.max_expires_at}
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="active"
        search={search}
        onChange={change}
      />
      <OwnKeyLists {...{ list, search, change }} />
    </Page>
  );
}
