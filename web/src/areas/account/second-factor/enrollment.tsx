/** Setting up an authenticator app: the secret as a picture and as text, then a code of the app. */

import { useEffect, useRef } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { CopyButton } from '../../../shared/design/buttons/copy-button.tsx';
import { QrCode } from '../../../shared/design/marks/qr-code.tsx';
import type { ApiError } from '../../../shared/api/api.ts';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { security as text } from '../security-text.ts';
import { confirmTotp, type beginTotp } from '../account-data.ts';
import classes from './second-factor.module.css';

export type Enrolling = Awaited<ReturnType<typeof beginTotp>>;

const wrongCode = ({ code }: ApiError) =>
  code === 'invalid_credentials' ? { code: text.codeWrong } : undefined;

export function Enrollment({
  enrolling,
  onCodes,
  onCancel,
}: {
  readonly enrolling: Enrolling;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const confirm = useSensitiveMutation({ mutationFn: confirmTotp, onSuccess: onCodes });
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <div className={classes['enrollment']}>
      <h3 ref={heading} tabIndex={-1}>
        {text.enrollTitle}
      </h3>
      <div className={classes['secret']}>
        <QrCode data={enrolling.uri} label={text.qrLabel} />
        <div className={classes['steps']}>
          <p>{text.scan}</p>
          <p>{text.typeInstead}</p>
          <code className={classes['code']}>{inGroups(enrolling.secret)}</code>
          <CopyButton label={text.copySecret} value={enrolling.secret} />
        </div>
      </div>
      <Form
        label={text.enrollTitle}
        isBusy={confirm.isPending}
        error={confirm.error}
        fieldOf={wrongCode}
        onSubmit={({ code = '' }) => {
          confirm.mutate(code.trim());
        }}
      >
        <TextField
          label={text.code}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          description={text.enterCode}
        />
        <div className={classes['actions']}>
          <Submit label={text.confirm} busy={text.confirming} />
          <Button isSecondary onClick={onCancel}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </div>
  );
}

/** People type groups of four without losing their place. Apps ignore the spaces. */
const inGroups = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
