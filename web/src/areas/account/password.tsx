/** Changing the password of an account. */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ApiError } from '../../shared/api/api.ts';
import { Form, PasswordField, Submit } from '../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import type { Account } from '../../shared/session/session.ts';
import { security as text } from './security-text.ts';
import { changePassword } from './account-data.ts';
import { Panel } from '../../shared/design/panel.tsx';
import { Result } from '../../shared/design/result.tsx';
import classes from './password.module.css';

export function Password({ account: { user } }: { readonly account: Account }) {
  return (
    <Panel title={text.passwordTitle}>
      {user.has_password ? <PasswordForm email={user.email} /> : <p>{text.noPassword}</p>}
    </Panel>
  );
}

const wrongPassword = ({ code }: ApiError) =>
  code === 'invalid_credentials' ? { current_password: text.passwordWrong } : undefined;

function PasswordForm({ email }: { readonly email: string }) {
  const queries = useQueryClient();
  const result = useRef<HTMLParagraphElement>(null);
  const [changes, setChanges] = useState(0);
  const change = useSensitiveMutation({
    mutationFn: changePassword,
    onSuccess: async () => {
      // An empty form, whose fields no longer hold the passwords.
      setChanges((count) => count + 1);
      result.current?.focus();
      await queries.invalidateQueries();
    },
  });
  return (
    <div className={classes['column']}>
      <Result ref={result} text={changes > 0 && !change.error ? text.passwordChanged : ''} />
      <Form
        key={changes}
        label={text.changePassword}
        isBusy={change.isPending}
        error={change.error}
        fieldOf={wrongPassword}
        onSubmit={({ current_password = '', new_password = '' }) => {
          change.mutate({ current_password, new_password });
        }}
      >
        {/* Password managers save the new password for this account. */}
        <input
          type="text"
          autoComplete="username"
          value={email}
          readOnly
          hidden
          aria-hidden="true"
        />
        <PasswordField
          label={text.currentPassword}
          name="current_password"
          autoComplete="current-password"
        />
        <PasswordField
          label={text.newPassword}
          name="new_password"
          autoComplete="new-password"
          description={text.newPasswordHint}
        />
        <Submit label={text.changePassword} busy={text.changingPassword} />
      </Form>
    </div>
  );
}
