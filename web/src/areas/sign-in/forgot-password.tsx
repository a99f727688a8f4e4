/** Asking for a link to reset a password. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkButton, LinkRow } from '../../shared/design/buttons/link-button.tsx';
import { ApiError } from '../../shared/api/api.ts';
import { Form, Submit, TextField } from '../../shared/forms/form.tsx';
import { signIn as text } from '../../shared/text/sign-in.ts';
import { SignInPage } from './page.tsx';
import { requestPasswordReset } from './sign-in-data.ts';
import classes from './page.module.css';

export function ForgotPassword() {
  const [email, setEmail] = useState<string>();
  const send = useMutation({
    mutationFn: requestPasswordReset,
    onSuccess: (_sent, address) => {
      setEmail(address);
    },
  });
  if (email !== undefined)
    return (
      <SignInPage title={text.sentTitle} intro={text.sent}>
        <p>
          {text.sentTo} <bdi>{email}</bdi>
        </p>
        <LinkRow>
          <ToSignIn />
          <LinkButton
            onClick={() => {
              setEmail(undefined);
            }}
          >
            {text.otherAddress}
          </LinkButton>
        </LinkRow>
      </SignInPage>
    );
  if (send.error instanceof ApiError && send.error.status === 501)
    return (
      <SignInPage title={text.forgotTitle} intro={text.noMail}>
        <ToSignIn />
      </SignInPage>
    );
  return (
    <SignInPage title={text.forgotTitle} intro={text.forgotIntro}>
      <Form
        isBusy={send.isPending}
        error={send.error}
        onSubmit={({ email: address = '' }) => {
          send.mutate(address.trim());
        }}
      >
        <TextField label={text.email} name="email" type="email" autoComplete="username" autoFocus />
        <Submit label={text.sendLink} busy={text.sendingLink} />
      </Form>
      <ToSignIn />
    </SignInPage>
  );
}

function ToSignIn() {
  return (
    <p className={classes['aside']}>
      <Link to="/login">{text.toSignIn}</Link>
    </p>
  );
}
