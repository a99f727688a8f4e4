/** Makes a key of the reader's own, and shows it once. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ExpiryFields, useExpiry } from '../issue/expiry-fields.tsx';
import { IssuedKey } from '../issue/issued-key.tsx';
import { PermissionFields, usePermissionChoice } from '../issue/permission-fields.tsx';
import { createOwnKey, readKeysAgain, type BearablePermission } from '../keys-data.ts';
import { issue as text } from '../text.ts';
import classes from '../keys.module.css';

interface NewOwnKeyProps {
  readonly bearable: readonly BearablePermission[];
  readonly isScoped: boolean;
  /** RFC 3339. */
  readonly latest: string | undefined;
  readonly onClose: () => void;
}

export function NewOwnKey({ bearable, isScoped, latest, onClose }: NewOwnKeyProps) {
  const queries = useQueryClient();
  const { issuing, secret, forget } = useIssuedSecret(createOwnKey);
  const expiry = useExpiry(latest);
  const choosing = usePermissionChoice(bearable, isScoped);
  const [isTold, setTold] = useState(false);
  const isEmpty = choosing.permissions?.length === 0;
  if (secret !== undefined)
    return (
      <IssuedKey
        name={issuing.data?.name ?? ''}
        secret={secret}
        onStored={() => {
          forget();
          onClose();
        }}
      />
    );
  return (
    <Panel title={text.title}>
      <Form
        isBusy={issuing.isPending}
        error={issuing.error}
        onSubmit={({ name = '' }) => {
          setTold(isEmpty);
          if (isEmpty) return;
          issuing.mutate(
            {
              name: name.trim(),
              permissions: choosing.permissions,
              expiresAt: expiry.expiresAt(),
            },
            { onSuccess: () => void readKeysAgain(queries) },
          );
        }}
      >
        <TextField
          label={text.name}
          description={text.nameHint}
          name="name"
          autoComplete="off"
          autoFocus
        />
        <PermissionFields choosing={choosing} problem={isTold && isEmpty ? text.none : undefined} />
        <ExpiryFields expiry={expiry} />
        <div className={classes['buttons']}>
          <Submit label={text.submit} busy={text.busy} />
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}
