/** The ways to accept an invitation. */
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { ApiError } from '../../shared/api/api.ts';
import { Form, PasswordField, Submit, TextField } from '../../shared/forms/form.tsx';
import { dropSession, signOut, type Account } from '../../shared/session/session.ts';
import { session } from '../../shared/text/session.ts';
import { signIn as text } from '../../shared/text/sign-in.ts';
import type { acceptInvitation } from './sign-in-data.ts';
import classes from './page.module.css';

interface JoinProps {
  readonly token: string;
  readonly email: string;
  readonly join: UseMutationResult<Account, Error, Parameters<typeof acceptInvitation>[0]>;
}

/** The invited address is fixed. Password managers store the new password for it. */
function InvitedEmail({ email }: { readonly email: string }) {
  return (
    <TextField
      label={text.email}
      name="email"
      type="email"
      autoComplete="username"
      defaultValue={email}
      isReadOnly
    />
  );
}

export function JoinAsNew({ token, email, join }: JoinProps) {
  return (
    <Form
      isBusy={join.isPending}
      error={join.error}
      onSubmit={({ display_name = '', password = '' }) => {
        join.mutate({ token, display_name: display_name.trim(), password });
      }}
    >
      <InvitedEmail email={email} />
      <TextField label={text.displayName} name="display_name" autoComplete="name" autoFocus />
      <PasswordField
        label={text.newPassword}
        description={text.passwordHint}
        name="password"
        autoComplete="new-password"
      />
      <Submit label={text.join} busy={text.joining} />
    </Form>
  );
}

/** The code is asked for once the service says that the account has a second factor. */
export function JoinWithPassword({ token, email, join }: JoinProps) {
  const [needsCode, setNeedsCode] = useState(false);
  const isCodeMissing = join.error instanceof ApiError && join.error.code === 'mfa_required';
  if (isCodeMissing && !needsCode) setNeedsCode(true);
  const wrong = ({ code, message }: ApiError) => {
    if (code !== 'invalid_credentials') return undefined;
    return needsCode ? { code: message } : { password: text.wrongAccountPassword };
  };
  return (
    <>
      <p className={classes['intro']}>{text.joinWithAccount}</p>
      <Form
        isBusy={join.isPending}
        error={isCodeMissing ? null : join.error}
        fieldOf={wrong}
        onSubmit={({ password = '', code }) => {
          join.mutate({ token, password, ...(code !== undefined && { code: code.trim() }) });
        }}
      >
        <InvitedEmail email={email} />
        <PasswordField
          label={text.password}
          name="password"
          autoComplete="current-password"
          autoFocus
        />
        {needsCode && (
          <TextField
            label={text.anyCode}
            name="code"
            autoComplete="one-time-code"
            description={text.anyCodeHint}
            autoFocus
          />
        )}
        <Submit label={text.join} busy={text.joining} />
      </Form>
    </>
  );
}

export function JoinAs({ token, email, join }: JoinProps) {
  return (
    <Form
      isBusy={join.isPending}
      error={join.error}
      onSubmit={() => {
        join.mutate({ token });
      }}
    >
      <p>
        {text.signedInAs} <bdi>{email}</bdi>.
      </p>
      <Submit label={text.join} busy={text.joining} />
    </Form>
  );
}

export function OtherAccount({
  account,
  email,
}: {
  readonly account: Account;
  readonly email: string;
}) {
  const queries = useQueryClient();
  const router = useRouter();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      dropSession(queries);
      await router.invalidate();
    },
  });
  return (
    <>
      <p>
        {text.signedInAs}{' '}
        <strong>
          <bdi>{account.user.email}</bdi>
        </strong>
        . {text.invitationIsFor}{' '}
        <strong>
          <bdi>{email}</bdi>
        </strong>
        .
      </p>
      <div role="alert">{leave.error?.message}</div>
      <Button
        aria-busy={leave.isPending}
        onClick={() => {
          leave.mutate();
        }}
      >
        {text.signOutAndJoin}
      </Button>
      <p className={classes['aside']}>
        <Link to="/">{session.toRequests}</Link>
      </p>
    </>
  );
}
