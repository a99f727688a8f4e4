/** All API keys of the organization, and issuing one that acts for it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useFocusBack } from '../../../shared/design/dialogs/focus-back.ts';
import note from '../../../shared/design/note.module.css';
import { PageTitle } from '../../../shared/guide/page-title.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import {
  accountQuery,
  hasPermission,
  signInOptionsQuery,
} from '../../../shared/session/session.ts';
import { permissionText } from '../../../shared/text/permissions.ts';
import type { OrganizationKeysSearch } from '../keys-search.ts';
import { Filters } from './filters.tsx';
import { KeyTable } from './key-table.tsx';
import { NewOrganizationKey } from './new-organization-key.tsx';
import { organization as text } from './text.ts';
import classes from '../keys.module.css';

const READ = 'api_key.read';
const ISSUE = 'api_key.organization.issue';

export function OrganizationKeys() {
  useTitle(text.title);
  const search = useSearch({ from: '/signed-in/settings/keys' });
  const navigate = useNavigate({ from: '/settings/keys' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: options } = useSuspenseQuery(signInOptionsQuery);
  const [isCreating, setCreating] = useState(false);
  const opener = useFocusBack(isCreating);
  const mayRead = hasPermission(account, READ);
  // No one holds it in the open edition.
  const mayIssue = hasPermission(account, ISSUE);
  if (!mayRead && !mayIssue) return <MissingPermission permission={READ} />;
  const change = (wanted: OrganizationKeysSearch) =>
    void navigate({ search: wanted, replace: true });
  const isHosted = options.edition === 'hosted';
  return (
    <>
      <div className={classes['head']}>
        <div>
          <PageTitle>{text.title}</PageTitle>
          <p className={classes['soft']}>
            {text.hint} <Link to="/account/keys">{text.own}</Link>
          </p>
        </div>
        {mayIssue && !isCreating && (
          <Button
            ref={opener}
            onClick={() => {
              setCreating(true);
            }}
          >
            {text.create}
          </Button>
        )}
      </div>
      {!mayIssue && (
        <p className={note['note']}>
          {isHosted ? text.mayNotIssue(permissionText(ISSUE)) : text.open}
        </p>
      )}
      {isCreating && (
        <NewOrganizationKey
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
      {mayRead ? (
        <>
          <Filters {...{ search, change }} hasKinds={isHosted} />
          <KeyTable {...{ search, change }} mayRevoke={hasPermission(account, 'api_key.revoke')} />
        </>
      ) : (
        <p className={note['note']}>{text.mayNotRead(permissionText(READ))}</p>
      )}
    </>
  );
}
