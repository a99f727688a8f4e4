/** The first page of a new deployment: creates the organization and its first owner. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import type { ApiError } from '../../shared/api/api.ts';
import { Form, PasswordField, Submit, TextField } from '../../shared/forms/form.tsx';
import { followLinkSecret, linkSecret } from '../../shared/browser/link-secret.ts';
import { startSession } from '../../shared/session/session.ts';
import { signIn as text } from '../../shared/text/sign-in.ts';
import { SignInPage } from './page.tsx';
import { bootstrap } from './sign-in-data.ts';

const wrongSecret = ({ code, message }: ApiError) =>
  code === 'bootstrap_secret_invalid' ? { secret: message } : undefined;

export function Welcome() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const secret = useSyncExternalStore(followLinkSecret, linkSecret);
  const create = useMutation({
    mutationFn: bootstrap,
    onSuccess: async (account) => {
      startSession(queries, account);
      await navigate({ to: '/home', replace: true });
    },
  });
  return (
    <SignInPage title={text.welcomeTitle} intro={text.welcomeIntro}>
      <Form
        isBusy={create.isPending}
        error={create.error}
        fieldOf={wrongSecret}
        onSubmit={(fields) => {
          create.mutate(fields);
        }}
      >
        <PasswordField
          key={secret}
          label={text.secret}
          description={secret === undefined ? text.secretHint : text.secretOfLink}
          name="secret"
          autoComplete="off"
          {...(secret === undefined ? { autoFocus: true } : { defaultValue: secret })}
        />
        <TextField
          label={text.organizationName}
          name="organization_name"
          autoComplete="organization"
          autoFocus={secret !== undefined}
        />
        <TextField label={text.displayName} name="display_name" autoComplete="name" />
        <TextField label={text.email} name="email" type="email" autoComplete="username" />
        <PasswordField
          label={text.newPassword}
          description={text.passwordHint}
          name="password"
          autoComplete="new-password"
        />
        <Submit label={text.create} busy={text.creating} />
      </Form>
    </SignInPage>
  );
}
