/** Whether a second factor is on, and how to change that. */

import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ApiError } from '../../../shared/api/api.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { security as text } from '../security-text.ts';
import { beginTotp, removeTotp, replaceRecoveryCodes, type Mfa } from '../account-data.ts';
import { Confirmation } from './confirmation.tsx';
import { Result } from '../../../shared/design/result.tsx';
import type { Enrolling } from './enrollment.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import classes from './second-factor.module.css';

/** Codes that are few enough to ask for new ones. */
const FEW = 3;

export function NotEnrolled({
  mfa,
  onBegun,
}: {
  readonly mfa: Mfa;
  readonly onBegun: (enrolling: Enrolling) => void;
}) {
  const begin = useSensitiveMutation({ mutationFn: beginTotp, onSuccess: onBegun });
  if (begin.error instanceof ApiError && begin.error.status === 501)
    return <p role="alert">{text.notConfigured}</p>;
  return (
    <>
      <p>
        <strong className={classes['state']}>{text.off}</strong>
        {mfa.required && ` ${text.required}`}
      </p>
      <Result text="" error={begin.error} />
      <Button
        className={classes['action'] ?? ''}
        aria-disabled={begin.isPending}
        onClick={() => {
          if (!begin.isPending) begin.mutate();
        }}
      >
        {begin.isPending ? text.beginning : text.begin}
      </Button>
    </>
  );
}

type Choice = 'codes' | 'remove';

export function Enrolled({
  mfa,
  onCodes,
  onRemoved,
}: {
  readonly mfa: Mfa;
  readonly onCodes: (codes: readonly string[], result: string) => void;
  readonly onRemoved: (result: string) => void;
}) {
  const [asked, setAsked] = useState<Choice>();
  const replace = useSensitiveMutation({
    mutationFn: replaceRecoveryCodes,
    onSuccess: (codes) => {
      onCodes(codes, '');
    },
  });
  const remove = useSensitiveMutation({
    mutationFn: removeTotp,
    onSuccess: () => {
      onRemoved(text.removed);
    },
  });
  const cancel = () => {
    setAsked(undefined);
  };
  return (
    <>
      <On mfa={mfa} />
      {asked === undefined && <Choices onChoose={setAsked} />}
      {asked === 'codes' && (
        <Confirmation
          ask={text.newCodesAsk}
          label={text.newCodesConfirm}
          action={replace}
          onCancel={cancel}
        />
      )}
      {asked === 'remove' && (
        <Confirmation
          ask={mfa.required ? `${text.removeAsk} ${text.removeAskRequired}` : text.removeAsk}
          label={text.removeConfirm}
          action={remove}
          onCancel={cancel}
        />
      )}
    </>
  );
}

function On({ mfa }: { readonly mfa: Mfa }) {
  const { recovery_codes_left: left, totp } = mfa;
  return (
    <p>
      <strong className={classes['state']} data-on="true">
        {text.on}
      </strong>
      {totp.confirmed_at !== null && (
        <>
          {' '}
          {text.since} <Instant at={totp.confirmed_at} as="clock" />.
        </>
      )}{' '}
      {text.codesLeft(left)} {left <= FEW && text.fewCodes}
    </p>
  );
}

function Choices({ onChoose }: { readonly onChoose: (choice: Choice) => void }) {
  return (
    <div className={classes['actions']}>
      <Button
        isSecondary
        onClick={() => {
          onChoose('codes');
        }}
      >
        {text.newCodes}
      </Button>
      <Button
        isSecondary
        onClick={() => {
          onChoose('remove');
        }}
      >
        {text.remove}
      </Button>
    </div>
  );
}
