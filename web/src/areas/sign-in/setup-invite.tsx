/** The step of the guided setup that invites people. */
import { useState } from 'react';
import { CopyButton } from '../../design/copy-button.tsx';
import type { ApiError } from '../../shell/api.ts';
import { Form, Submit, TextField } from '../../shell/forms/form.tsx';
import { useSensitiveMutation } from '../../shell/recent-authentication.tsx';
import { setup as text } from '../../text/setup.ts';
import { invite, type Role } from './setup-data.ts';
import classes from './guide.module.css';

const takenEmail = ({ code, message }: ApiError) =>
  code === 'member_exists' || code === 'invitation_pending' ? { email: message } : undefined;

interface Invited {
  readonly email: string;
  /** Where the deployment sends no email. */
  readonly link: string | undefined;
}

export function InviteStep() {
  const [invited, setInvited] = useState<readonly Invited[]>([]);
  const send = useSensitiveMutation({
    mutationFn: invite,
    onSuccess: ({ invitation, invite_url: link }) => {
      setInvited((before) => [...before, { email: invitation.email, link }]);
    },
  });
  return (
    <>
      <p className={classes['soft']}>{text.inviteIntro}</p>
      <div role="status">
        {invited.length > 0 && (
          <ul className={classes['steps']}>
            {invited.map(({ email, link }, index) => (
              <li key={email} className={classes['done']}>
                <p>
                  {link === undefined ? text.sent : text.invited} <bdi>{email}</bdi>.
                </p>
                {link !== undefined && <InvitationLink link={link} id={`invitation-${index}`} />}
              </li>
            ))}
          </ul>
        )}
      </div>
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
