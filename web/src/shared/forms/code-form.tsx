/** Asks for a code of the second factor, of either kind. */
import type { ReactNode } from 'react';
import { LinkButton, LinkRow } from '../design/buttons/link-button.tsx';
import { signIn as text } from '../text/sign-in.ts';
import { CodeField, wrongCode, type CodeKind } from './code-field.tsx';
import { Form, Submit } from './form.tsx';

interface CodeFormProps {
  readonly kind: CodeKind;
  /** The person wants to enter the other kind. */
  readonly onKind: (kind: CodeKind) => void;
  /** The mutation that sends the code. It is reset when the kind changes. */
  readonly sending: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly reset: () => void;
  };
  readonly onSubmit: (code: string) => void;
  readonly label: string;
  readonly busy: string;
  /** Further ways out. */
  readonly children?: ReactNode;
}

export function CodeForm(props: CodeFormProps) {
  const { kind, onKind, sending, onSubmit, label, busy, children } = props;
  return (
    <>
      <Form
        key={kind}
        isBusy={sending.isPending}
        error={sending.error}
        fieldOf={wrongCode}
        onSubmit={({ code = '' }) => {
          onSubmit(code.trim());
        }}
      >
        <CodeField kind={kind} autoFocus />
        <Submit label={label} busy={busy} />
      </Form>
      <LinkRow>
        <LinkButton
          onClick={() => {
            sending.reset();
            onKind(kind === 'totp' ? 'recovery_code' : 'totp');
          }}
        >
          {text.useOther[kind]}
        </LinkButton>
        {children}
      </LinkRow>
    </>
  );
}
