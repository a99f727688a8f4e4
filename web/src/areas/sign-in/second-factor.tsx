/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeField, wrongCode, type CodeKind } from '../../shell/forms/code-field.tsx';
import { Form, Submit } from '../../shell/forms/form.tsx';
import type { Account } from '../../shell/session.ts';
import { signIn as text } from '../../text/sign-in.ts';
import { SignInPage } from './page.tsx';
import { sendCode, type Challenge } from './sign-in-data.ts';
import classes from './page.module.css';

export function SecondFactor({
  challenge,
  onDone,
  onRestart,
}: {
  readonly challenge: Challenge;
  readonly onDone: (account: Account) => Promise<void>;
  readonly onRestart: () => void;
}) {
  const [kind, setKind] = useState<CodeKind>('totp');
  const send = useMutation({ mutationFn: sendCode, onSuccess: onDone });
  return (
    <SignInPage title={text.codeTitle} intro={text.codeIntro[kind]}>
      <Form
        key={kind}
        isBusy={send.isPending}
        error={send.error}
        fieldOf={wrongCode}
        onSubmit={({ code = '' }) => {
          send.mutate({ token: challenge.token, code: code.trim() });
        }}
      >
        <CodeField kind={kind} autoFocus />
        <Submit label={text.sendCode} busy={text.sendingCode} />
      </Form>
      <div className={classes['choices']}>
        <button
          type="button"
          className={classes['choice']}
          onClick={() => {
            send.reset();
            setKind(kind === 'totp' ? 'recovery_code' : 'totp');
          }}
        >
          {text.useOther[kind]}
        </button>
        <button type="button" className={classes['choice']} onClick={onRestart}>
          {text.restart}
        </button>
      </div>
    </SignInPage>
  );
}
