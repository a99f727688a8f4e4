/** Signing in: with a password and, where the account has one, a second factor; or at the identity provider. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouteContext, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import note from '../../shared/design/note.module.css';
import type { ApiError } from '../../shared/api/api.ts';
import { Form, PasswordField, Submit, TextField } from '../../shared/forms/form.tsx';
import { safeReturnPath } from '../../shared/session/return-to.ts';
import { startSession, type Account } from '../../shared/session/session.ts';
import { signIn as text } from '../../shared/text/sign-in.ts';
import { SecondFactor } from './second-factor.tsx';
import { SignInPage } from './page.tsx';
import { sendPassword, type Challenge } from './sign-in-data.ts';
import { SingleSignOn } from './single-sign-on.tsx';
import classes from './page.module.css';

export function Login() {
  const { return_to: returnTo, error, ended } = useSearch({ from: '/login' });
  const { options, account } = useRouteContext({ from: '/login' });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [challenge, setChallenge] = useState<Challenge>();
  const path = safeReturnPath(returnTo);
  const enter = async (signedIn: Account) => {
    startSession(queries, signedIn);
    await navigate({ href: path, replace: true });
  };
  if (challenge)
    return (
      <SecondFactor
        challenge={challenge}
        onDone={enter}
        onRestart={() => {
          setChallenge(undefined);
        }}
      />
    );
  return (
    <SignInPage
      title={text.title}
      intro={error === undefined && path !== '/' ? text.thenGoOn : undefined}
    >
      {ended && error === undefined && (
        <p className={note['note']} role="status">
          {text.ended}
        </p>
      )}
      {error !== undefined && <SignInProblem code={error} />}
      {account && <GoOn account={account} path={path} />}
      {options.sso && <SingleSignOn name={options.sso.name} path={path} />}
      <PasswordForm onDone={enter} onChallenge={setChallenge} hasReset={options.password_reset} />
    </SignInPage>
  );
}

/** Why the identity provider's sign-in ended here. */
function SignInProblem({ code }: { readonly code: string }) {
  const problems: Readonly<Record<string, string>> = text.problems;
  return (
    <p className={note['problem']} role="alert">
      {Object.hasOwn(problems, code) ? problems[code] : text.unknownProblem}
    </p>
  );
}

/** A failed sign-in at the provider does not end the session that was there before. */
function GoOn({ account, path }: { readonly account: Account; readonly path: string }) {
  return (
    <p className={note['note']}>
      {text.stillSignedIn} <bdi>{account.user.email}</bdi>. <Link to={path}>{text.goOn}</Link>
    </p>
  );
}

/** The service does not say which of the two is wrong. The password is what people mistype. */
const wrongPassword = ({ code }: ApiError) =>
  code === 'invalid_credentials' ? { password: text.wrongPassword } : undefined;

function PasswordForm({
  onDone,
  onChallenge,
  hasReset,
}: {
  readonly onDone: (account: Account) => Promise<void>;
  readonly onChallenge: (challenge: Challenge) => void;
  readonly hasReset: boolean;
}) {
  const signIn = useMutation({
    mutationFn: sendPassword,
    onSuccess: async (response) => {
      if ('mfa' in response) onChallenge(response.mfa);
      else await onDone(response);
    },
  });
  return (
    <Form
      isBusy={signIn.isPending}
      error={signIn.error}
      fieldOf={wrongPassword}
      onSubmit={({ email = '', password = '' }) => {
        signIn.mutate({ email: email.trim(), password });
      }}
    >
      <TextField label={text.email} name="email" type="email" autoComplete="username" autoFocus />
      <PasswordField label={text.password} name="password" autoComplete="current-password" />
      <Submit label={text.submit} busy={text.submitting} />
      <p className={classes['aside']}>
        {hasReset ? <Link to="/password/forgot">{text.forgotten}</Link> : text.noReset}
      </p>
    </Form>
  );
}
