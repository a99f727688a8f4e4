/** Invites people, and shows what was sent. */
import {
  useInfiniteQuery,
  useMutation,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { NoneOf } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import type { InvitationsSearch } from '../people-search.ts';
import {
  invitationsQuery,
  readInvitationsAgain,
  resend,
  revoke,
  type Invitation,
} from './invitations-data.ts';
import { InvitePanel } from './invite-panel.tsx';
import { SentTable } from './sent-table.tsx';
import { invitations as text, sending } from './text.ts';
import people from '../people.module.css';

const INVITE = 'membership.invite';

export function Invitations() {
  const search = useSearch({ from: '/signed-in/people/people/invitations' });
  const navigate = useNavigate({ from: '/people/invitations' });
  const { data: account } = useSuspenseQuery(accountQuery);
  if (!hasPermission(account, INVITE)) return <MissingPermission permission={INVITE} />;
  const change = (wanted: InvitationsSearch) => void navigate({ search: wanted, replace: true });
  return (
    <Page title={text.title} hint={text.hint}>
      <InvitePanel account={account} />
      <div className={people['part']}>
        <h2>{text.listTitle}</h2>
        <ListFilter
          label={text.search}
          choices={text.statuses}
          standard="pending"
          search={search}
          onChange={change}
        />
        <List {...{ search, change }} />
      </div>
    </Page>
  );
}

/** The new link is shown where the deployment sends no email. */
function useResend() {
  const queries = useQueryClient();
  return useIssuedSecret(async (invitation: Invitation) => {
    const issued = await resend(invitation);
    if (issued.secret === undefined) showToast(text.resent(invitation.email));
    await readInvitationsAgain(queries);
    return issued;
  });
}

interface ListProps {
  readonly search: InvitationsSearch;
  readonly change: (search: InvitationsSearch) => void;
}

function List({ search, change }: ListProps) {
  const list = useInfiniteQuery(invitationsQuery(search));
  const [revoking, setRevoking] = useState<Invitation>();
  const { issuing, secret, forget } = useResend();
  if (secret !== undefined)
    return <NewLink email={issuing.data?.email ?? ''} secret={secret} onStored={forget} />;
  const actsOn = (invitation: Invitation) => (
    <Acts
      invitation={invitation}
      isResending={issuing.isPending && issuing.variables.id === invitation.id}
      onResend={() => {
        if (!issuing.isPending) issuing.mutate(invitation);
      }}
      onRevoke={() => {
        setRevoking(invitation);
      }}
    />
  );
  return (
    <>
      {issuing.isError && (
        <p role="alert" className={people['problem']}>
          {issuing.error.message}
        </p>
      )}
      <PagedList
        list={list}
        rowsOf={(page) => page.invitations}
        none={
          <NoneOf
            {...{ search, text }}
            onClear={() => {
              change({});
            }}
          />
        }
      >
        {(sent) => (
          <div className={people['sheet']}>
            <SentTable sent={sent} acts={actsOn} />
          </div>
        )}
      </PagedList>
      {revoking && (
        <Revoke
          invitation={revoking}
          onClose={() => {
            setRevoking(undefined);
          }}
        />
      )}
    </>
  );
}

interface NewLinkProps {
  readonly email: string;
  readonly secret: string;
  readonly onStored: () => void;
}

function NewLink({ email, ...shown }: NewLinkProps) {
  return (
    <ShownOnce title={sending.linkOf(email)} ifLost={sending.ifLost} {...shown}>
      {() => <p>{sending.sendLink}</p>}
    </ShownOnce>
  );
}

interface ActsProps {
  readonly invitation: Invitation;
  readonly isResending: boolean;
  readonly onResend: () => void;
  readonly onRevoke: () => void;
}

function Acts({ invitation: { email }, isResending, onResend, onRevoke }: ActsProps) {
  return (
    <span className={people['row']}>
      <Button
        isSecondary
        isSmall
        aria-label={text.resendOf(email)}
        aria-busy={isResending}
        onClick={onResend}
      >
        {isResending ? text.resending : text.resend}
      </Button>
      <Button isSecondary isSmall aria-label={text.revokeOf(email)} onClick={onRevoke}>
        {text.revoke}
      </Button>
    </span>
  );
}

interface RevokeProps {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

function Revoke({ invitation, onClose }: RevokeProps) {
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: revoke,
    onSuccess: async () => {
      onClose();
      showToast(text.revoked(invitation.email));
      await readInvitationsAgain(queries);
    },
  });
  return (
    <Consequence
      title={text.revokeTitle}
      label={text.revokeConfirm}
      busy={text.revoking}
      doing={revoking}
      onConfirm={() => {
        revoking.mutate(invitation);
      }}
      onClose={onClose}
    >
      <p>
        {text.revokeEnds} <bdi>{invitation.email}</bdi>
      </p>
    </Consequence>
  );
}
