/** Choosing a new password through the emailed link. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Spinner } from '../../shared/design/spinner.tsx';
import { ApiError } from '../../shared/api/api.ts';
import { Form, PasswordField, Submit } from '../../shared/forms/form.tsx';
import { signInOptionsQuery } from '../../shared/session/session.ts';
import { Failed } from '../../shared/page/states.tsx';
import { signIn as text } from '../../shared/text/sign-in.ts';
import { SignInPage } from './page.tsx';
import { passwordResetQuery, resetPassword } from './sign-in-data.ts';
import classes from './page.module.css';

export function ResetPassword() {
  const { token } = useParams({ from: '/password/reset/$token' });
  const link = useQuery(passwordResetQuery(token));
  const reset = useMutation({ mutationFn: resetPassword });
  if (isNotFound(link.error) || isNotFound(reset.error)) return <EndedLink />;
  if (link.error) return <Failed error={link.error} />;
  if (link.isPending)
    return (
      <SignInPage title={text.resetTitle}>
        <Spinner />
      </SignInPage>
    );
  if (reset.isSuccess)
    return (
      <SignInPage title={text.resetDoneTitle} intro={text.resetDone}>
        <p className={classes['aside']}>
          <Link to="/login">{text.title}</Link>
        </p>
      </SignInPage>
    );
  return (
    <SignInPage
      title={text.resetTitle}
      intro={link.data.removes_second_factor ? text.recoveryIntro : text.resetIntro}
    >
      <Form
        isBusy={reset.isPending}
        error={reset.error}
        onSubmit={({ password = '', revoke_api_keys: revoke }) => {
          reset.mutate({ token, password, revoke_api_keys: revoke === 'on' });
        }}
      >
        <PasswordField
          label={text.chosenPassword}
          description={text.passwordHint}
          name="password"
          autoComplete="new-password"
          autoFocus
        />
        {link.data.api_keys.length > 0 && <LiveKeys keys={link.data.api_keys} />}
        <Submit label={text.reset} busy={text.resetting} />
      </Form>
    </SignInPage>
  );
}

/** They live on unless the person says otherwise: a reset can be for a forgotten password alone. */
function LiveKeys({
  keys,
}: {
  readonly keys: readonly { readonly id: string; readonly name: string }[];
}) {
  return (
    <fieldset className={classes['keys']}>
      <legend>{text.liveKeys}</legend>
      <ul>
        {keys.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <label>
        <input type="checkbox" name="revoke_api_keys" /> {text.revokeKeys}
      </label>
    </fieldset>
  );
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404;

function EndedLink() {
  const { data: options } = useQuery(signInOptionsQuery);
  return (
    <SignInPage title={text.linkEndedTitle} intro={text.resetLinkEnded}>
      <p className={classes['aside']}>
        {options?.password_reset && <Link to="/password/forgot">{text.newLink}</Link>}
        {options?.password_reset === false && <Link to="/login">{text.toSignIn}</Link>}
      </p>
    </SignInPage>
  );
}
