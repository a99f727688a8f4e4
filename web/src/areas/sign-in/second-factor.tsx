/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import type { CodeKind } from '../../shared/forms/code-field.tsx';
import { CodeForm } from '../../shared/forms/code-form.tsx';
import type { Account } from '../../shared/session/session.ts';
import { signIn as text } from '../../shared/text/sign-in.ts';
import { SignInPage } from './page.tsx';
import { sendCode, type Challenge } from './sign-in-data.ts';

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
      <CodeForm
        kind={kind}
        onKind={setKind}
        sending={send}
        label={text.sendCode}
        busy={text.sendingCode}
        onSubmit={(code) => {
          send.mutate({ token: challenge.token, code });
        }}
      >
        <LinkButton onClick={onRestart}>{text.restart}</LinkButton>
      </CodeForm>
    </SignInPage>
  );
}
