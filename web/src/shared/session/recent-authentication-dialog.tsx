/** Asks for the password, a code or a new sign-in at the identity provider, on top of the page. */
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Spinner } from '../design/spinner.tsx';
import { Modal } from '../design/dialogs/modal.tsx';
import { recentAuthentication as text } from './recent-authentication-text.ts';
import { ApiError, call } from '../api/api.ts';
import type { CodeKind } from '../forms/code-field.tsx';
import { CodeForm } from '../forms/code-form.tsx';
import { Form, PasswordField, Submit, type Fields } from '../forms/form.tsx';
import { PartFailed } from '../page/states.tsx';
import { singleSignOnPath } from './return-to.ts';
import { accountQuery, mfaQuery, signInOptionsQuery } from './session.ts';
import classes from './recent-authentication-dialog.module.css';

/** What the service misses: a recent sign-in, or a second factor. */
export type Missing = 'reauthentication_required' | 'mfa_required';

interface Closes {
  /** True once the service accepted what the person sent. */
  readonly onClose: (isAuthenticated: boolean) => void;
}

export function RecentAuthenticationDialog({
  missing,
  onClose,
}: Closes & { readonly missing: Missing }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const factor = useQuery(mfaQuery);
  const hasPassword = account.user.has_password;
  const isEnrolled = factor.data?.totp.enrolled === true;
  const content = () => {
    if (factor.isPending) return <Spinner />;
    if (factor.isError) return <PartFailed part={factor} />;
    if (missing === 'mfa_required' && !isEnrolled && hasPassword) return <p>{text.noFactor}</p>;
    if (missing === 'mfa_required' && isEnrolled) return <SecondFactorForm onClose={onClose} />;
    if (hasPassword)
      return <PasswordForm onClose={onClose} email={account.user.email} withCode={isEnrolled} />;
    return (
      <>
        {isEnrolled && <SecondFactorForm onClose={onClose} />}
        <Provider />
      </>
    );
  };
  return (
    <Modal
      labelledBy="recent-authentication"
      onClose={() => {
        onClose(false);
      }}
    >
      <h2 id="recent-authentication">{text.title}</h2>
      {content()}
      <Button
        isSecondary
        onClick={() => {
          onClose(false);
        }}
      >
        {text.cancel}
      </Button>
    </Modal>
  );
}

async function reauthenticate({ password, code }: Fields): Promise<void> {
  const body = {
    ...(password !== undefined && { password }),
    ...(code !== undefined && { code }),
  };
  await call('post', '/auth/reauthenticate', { body });
}

function useReauthentication({ onClose }: Closes) {
  return useMutation({
    mutationFn: reauthenticate,
    onSuccess: () => {
      onClose(true);
    },
  });
}

const wrongPassword = ({ code }: ApiError) =>
  code === 'invalid_credentials' ? { password: text.wrongPassword } : undefined;

/** A session that had the second factor before needs the password alone. Others are asked for a code after it. */
function PasswordForm({
  onClose,
  email,
  withCode,
}: Closes & { readonly email: string; readonly withCode: boolean }) {
  const send = useReauthentication({ onClose });
  const [needsCode, setNeedsCode] = useState(false);
  const isRefused = send.error instanceof ApiError && send.error.code === 'mfa_required';
  if (withCode && isRefused && !needsCode) setNeedsCode(true);
  if (needsCode) return <SecondFactorForm onClose={onClose} />;
  return (
    <>
      <p>{text.intro.password}</p>
      <Form
        isBusy={send.isPending}
        error={send.error}
        fieldOf={wrongPassword}
        onSubmit={({ password = '' }) => {
          send.mutate({ password });
        }}
      >
        {/* Password managers find the account by it. */}
        <input hidden type="text" autoComplete="username" value={email} readOnly />
        <PasswordField
          label={text.password}
          name="password"
          autoComplete="current-password"
          autoFocus
        />
        <Submit label={text.confirm} busy={text.confirming} />
      </Form>
    </>
  );
}

function SecondFactorForm({ onClose }: Closes) {
  const send = useReauthentication({ onClose });
  const [kind, setKind] = useState<CodeKind>('totp');
  return (
    <>
      <p>{text.intro.code}</p>
      <CodeForm
        kind={kind}
        onKind={setKind}
        sending={send}
        label={text.confirm}
        busy={text.confirming}
        onSubmit={(code) => {
          send.mutate({ code });
        }}
      />
    </>
  );
}

/** An account without a password signs in again where it signed in before. */
function Provider() {
  const { data: options } = useSuspenseQuery(signInOptionsQuery);
  return (
    <>
      <p>{text.intro.provider}</p>
      <Button
        autoFocus
        onClick={() => {
          const { pathname, search } = location;
          location.assign(singleSignOnPath(`${pathname}${search}`, { again: true }));
        }}
      >
        <span>
          {text.atProvider} <bdi>{options.sso?.name ?? text.provider}</bdi>
        </span>
      </Button>
      <p className={classes['hint']}>{text.leaves}</p>
    </>
  );
}
