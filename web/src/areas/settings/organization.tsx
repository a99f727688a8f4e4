/** The organization: what it is, what it uses of its limits, and what holds for everyone in it. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLeaving } from '../../shared/browser/leaving.ts';
import { LeaveDialog } from '../../shared/design/dialogs/leave-dialog.tsx';
import note from '../../shared/design/note.module.css';
import { Failed, Loading, MissingPermission } from '../../shared/page/states.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { permissionText } from '../../shared/text/permissions.ts';
import { Claims } from './claims.tsx';
import { Deletion } from './deletion.tsx';
import { changesOf, type Draft, type Term } from './draft.ts';
import { HiddenNames } from './hidden-names.tsx';
import { Identity } from './identity.tsx';
import { KeyRules } from './key-rules.tsx';
import { Limits } from './limits.tsx';
import { organizationQuery } from './organization-data.ts';
import { SignInRules } from './sign-in-rules.tsx';
import { settings as text } from './text.ts';
import { EditingProvider } from './use-section.ts';
import { Page } from '../../shared/page/page.tsx';

const TO_READ = 'organization.read';
const TO_CHANGE = 'organization.settings.write';

export function Organization() {
  useTitle(text.title);
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, TO_READ);
  const current = useQuery({ ...organizationQuery, enabled: mayRead });
  const [draft, setDraft] = useState<Draft>({});
  const isReadOnly = !hasPermission(account, TO_CHANGE);
  const editing = useMemo(
    () => current.data && { current: current.data, draft, setDraft, isReadOnly },
    [current.data, draft, isReadOnly],
  );
  const hasChanges =
    current.data !== undefined &&
    Object.keys(changesOf(draft, current.data.terms, Object.keys(draft) as Term[])).length > 0;
  const leaving = useLeaving(hasChanges, { isKeptInPage: true });
  if (!mayRead) return <MissingPermission permission={TO_READ} />;
  if (current.isError && !current.data)
    return <Failed error={current.error} reset={() => void current.refetch()} />;
  return (
    <Page title={text.title} hint={text.hint}>
      {!editing && <Loading />}
      {editing && (
        <EditingProvider value={editing}>
          {isReadOnly && <p className={note['note']}>{text.readOnly(permissionText(TO_CHANGE))}</p>}
          <Identity />
          <Limits />
          <Claims />
          <SignInRules />
          <KeyRules />
          <HiddenNames />
          {hasPermission(account, 'organization.delete') && <Deletion />}
        </EditingProvider>
      )}
      <LeaveDialog leaving={leaving} title={text.leaveTitle} why={text.leaveWhy} />
    </Page>
  );
}
