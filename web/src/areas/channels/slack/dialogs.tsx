/** What changes or ends the connection, with what follows said before the press. */
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ConfirmByName } from '../../../shared/design/dialogs/confirm-by-name.tsx';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import note from '../../../shared/design/note.module.css';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { Form, Submit, type FormProps } from '../../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { ChannelField, channelIn, fieldOfTaken, SecretField, TokenField } from './connect.tsx';
import {
  connectSlack,
  disconnectSlack,
  readSlackAgain,
  type Connection,
  type Slack,
} from './slack-data.ts';
import { change, disconnection, replacement } from './text.ts';
import classes from './slack.module.css';

interface DialogProps {
  readonly connection: Connection;
  readonly onClose: () => void;
}

interface SlackDialogProps extends DialogProps {
  readonly slack: Slack;
}

function useChange(said: string, onClose: () => void) {
  const queries = useQueryClient();
  return useSensitiveMutation({
    mutationFn: connectSlack,
    onSuccess: async () => {
      onClose();
      showToast(said);
      await readSlackAgain(queries);
    },
  });
}

export function ChangeDialog({ connection, onClose }: DialogProps) {
  const changing = useChange(change.saved, onClose);
  return (
    <FormDialog
      title={change.title}
      doing={changing}
      onSubmit={({ default_channel }) => {
        changing.mutate({ default_channel: channelIn(default_channel) });
      }}
      submit={[change.save, change.saving]}
      onClose={onClose}
    >
      <ChannelField now={connection.default_channel ?? ''} />
    </FormDialog>
  );
}

export function ReplaceDialog({ slack, connection, onClose }: SlackDialogProps) {
  const replacing = useChange(replacement.replaced, onClose);
  const [isEmpty, setEmpty] = useState(false);
  return (
    <FormDialog
      title={replacement.title}
      doing={replacing}
      onSubmit={({ bot_token = '', signing_secret = '' }) => {
        const [token, secret] = [bot_token.trim(), signing_secret.trim()];
        setEmpty(token === '' && secret === '');
        if (token === '' && secret === '') return;
        replacing.mutate({
          ...(token !== '' && { bot_token: token }),
          ...(secret !== '' && { signing_secret: secret }),
          default_channel: connection.default_channel,
        });
      }}
      submit={[replacement.replace, replacement.replacing]}
      onClose={onClose}
    >
      <p>{replacement.ends(slack.linked_member_count)}</p>
      <p className={classes['soft']}>{replacement.keep}</p>
      <div
        className={classes['fields']}
        onInput={() => {
          setEmpty(false);
        }}
      >
        <TokenField label={replacement.token} isOptional />
        <SecretField label={replacement.secret} isOptional />
      </div>
      {isEmpty && (
        <p role="alert" className={note['problem']}>
          {replacement.nothing}
        </p>
      )}
    </FormDialog>
  );
}

interface FormDialogProps extends Pick<FormProps, 'onSubmit'> {
  readonly title: string;
  readonly doing: { readonly isPending: boolean; readonly error: Error | null };
  /** What the button says, and what it says while it works. */
  readonly submit: readonly [label: string, busy: string];
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function FormDialog({ title, doing, onSubmit, submit, onClose, children }: FormDialogProps) {
  const id = useId();
  const [label, busy] = submit;
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <Form isBusy={doing.isPending} error={doing.error} fieldOf={fieldOfTaken} onSubmit={onSubmit}>
        {children}
        <div className={classes['buttons']}>
          <Submit label={label} busy={busy} />
          <Button isSecondary onClick={onClose}>
            {change.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}

export function DisconnectDialog({ slack, connection, onClose }: SlackDialogProps) {
  const queries = useQueryClient();
  const disconnecting = useSensitiveMutation({
    mutationFn: disconnectSlack,
    onSuccess: async () => {
      showToast(disconnection.disconnected);
      await readSlackAgain(queries);
    },
  });
  return (
    <ConfirmByName
      title={disconnection.title}
      name={connection.team_name}
      doing={disconnecting}
      label={disconnection.disconnect}
      busy={disconnection.disconnecting}
      onConfirm={() => {
        disconnecting.mutate();
      }}
      onClose={onClose}
    >
      <p>
        {disconnection.ends} {disconnection.links(slack.linked_member_count)}
      </p>
      <p>{disconnection.back}</p>
    </ConfirmByName>
  );
}
