/** The step of the guided setup that invites people. */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../shared/design/copy-button.tsx';
import { Result } from '../../shared/design/result.tsx';
import type { ApiError } from '../../shared/api/api.ts';
import { Form, Submit, TextField } from '../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { setup as text } from '../../shared/text/setup.ts';
import {
  invite,
  pendingInvitationsQuery,
  replaceInvitation,
  useShownOnce,
  type Invited,
  type Role,
} from './setup-data.ts';
import classes from './guide.module.css';

const takenEmail = ({ code, message }: ApiError) =>
  code === 'member_exists' || code === 'invitation_pending' ? { email: message } : undefined;

type Pending = Pick<Invited, 'id' | 'email'>;

function useInviting() {
  const queries = useQueryClient();
  const { keepInvited } = useShownOnce();
  const keep = async ({ invitation: { id, email }, invite_url: link }: Sent) => {
    keepInvited({ id, email, link });
    await queries.invalidateQueries({ queryKey: pendingInvitationsQuery.queryKey });
  };
  const send = useSensitiveMutation({
    mutationFn: invite,
    onSuccess: keep,
    // Someone else may have invited them.
    onError: () => void queries.invalidateQueries({ queryKey: pendingInvitationsQuery.queryKey }),
  });
  const replace = useSensitiveMutation({ mutationFn: replaceInvitation, onSuccess: keep });
  return { send, replace };
}

type Sent = Awaited<ReturnType<typeof invite>>;

export function InviteStep({ pending }: { readonly pending: readonly Pending[] }) {
  const { invited } = useShownOnce().shown;
  const { send, replace } = useInviting();
  return (
    <>
      <p className={classes['soft']}>{text.inviteIntro}</p>
      <InvitedPeople invited={invited} />
      <PendingInvitations
        pending={pending.filter(({ id }) => invited.every((each) => each.id !== id))}
        replacing={replace.isPending ? replace.variables.id : undefined}
        error={replace.error}
        onReplace={(invitation) => {
          replace.mutate(invitation);
        }}
      />
      <Form
        key={invited.length}
        isBusy={send.isPending}
        error={send.error}
        fieldOf={takenEmail}
        onSubmit={({ email = '', role }) => {
          send.mutate({ email: email.trim(), role: role as Role });
        }}
      >
        <TextField label={text.email} name="email" type="email" autoComplete="off" />
        <div className={classes['select']}>
          <label htmlFor="role">{text.role}</label>
          <select id="role" name="role">
            <option value="reviewer">{text.roles.reviewer}</option>
            <option value="owner">{text.roles.owner}</option>
          </select>
        </div>
        <Submit label={text.invite} busy={text.inviting} />
      </Form>
    </>
  );
}

function InvitedPeople({ invited }: { readonly invited: readonly Invited[] }) {
  const last = useRef<HTMLLIElement>(null);
  const links = invited.map(({ id, link }) => `${id} ${link ?? ''}`).join();
  const before = useRef(links);
  useEffect(() => {
    // The control that sent it is gone. What was kept from before takes no focus.
    if (before.current !== links) last.current?.focus();
    before.current = links;
  }, [links]);
  return (
    <div role="status">
      {invited.length > 0 && (
        <ul className={classes['steps']}>
          {invited.map(({ id, email, link }, index) => (
            <li
              key={id}
              ref={index === invited.length - 1 ? last : null}
              tabIndex={-1}
              className={classes['done']}
            >
              <p>
                {link === undefined ? text.sent : text.invited} <bdi>{email}</bdi>.
              </p>
              {link !== undefined && <InvitationLink link={link} id={`invitation-${index}`} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function PendingInvitations({
  pending,
  replacing,
  error,
  onReplace,
}: {
  readonly pending: readonly Pending[];
  readonly replacing: string | undefined;
  readonly error: Error | null;
  readonly onReplace: (invitation: Pending) => void;
}) {
  if (pending.length === 0) return null;
  return (
    <div className={classes['done']}>
      <p id="pending">{text.pending}</p>
      <Result text="" error={error} />
      <ul className={classes['steps']} aria-labelledby="pending">
        {pending.map((invitation) => (
          <li key={invitation.id} className={classes['row']}>
            <bdi>{invitation.email}</bdi>
            <Button
              variant="default"
              aria-label={text.replaceOf(invitation.email)}
              aria-disabled={replacing !== undefined}
              onClick={() => {
                if (replacing === undefined) onReplace(invitation);
              }}
            >
              {replacing === invitation.id ? text.replacing : text.replace}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function InvitationLink({ link, id }: { readonly link: string; readonly id: string }) {
  return (
    <>
      <p>{text.sendLink}</p>
      <pre className={classes['secret']} id={id} aria-label={text.link}>
        {link}
      </pre>
      <div className={classes['row']}>
        <CopyButton value={link} label={text.copyLink} />
      </div>
    </>
  );
}
