/** Creates a webhook, or changes a channel. Channels of other kinds have only a name. */
import { useId, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import type { Channel, WebhookFields } from '../channels-data.ts';
import { form as text } from '../text.ts';
import classes from './channels.module.css';

interface ChannelFormProps {
  /** The one that is changed. */
  readonly channel?: Channel;
  /** The mutation that does it. */
  readonly doing: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: (fields: WebhookFields) => void;
  readonly onClose: () => void;
}

const titleFor = (channel: Channel | undefined): string => {
  if (!channel) return text.createTitle;
  return channel.kind === 'webhook' ? text.editTitle : text.renameTitle;
};

export function ChannelForm({ channel, doing, onSubmit, onClose }: ChannelFormProps) {
  const id = useId();
  const [withArguments, setWithArguments] = useState(channel?.include_arguments ?? false);
  const isWebhook = !channel || channel.kind === 'webhook';
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{titleFor(channel)}</h2>
      <Form
        isBusy={doing.isPending}
        error={doing.error}
        onSubmit={(fields) => {
          onSubmit({
            name: (fields['name'] ?? '').trim(),
            url: (fields['url'] ?? '').trim(),
            include_arguments: withArguments,
          });
        }}
      >
        <TextField
          label={text.name}
          description={text.nameHint}
          name="name"
          autoComplete="off"
          autoFocus
          defaultValue={channel?.name ?? ''}
        />
        {isWebhook && (
          <>
            <TextField
              label={text.url}
              description={text.urlHint}
              name="url"
              autoComplete="off"
              defaultValue={channel?.url ?? ''}
            />
            <Checkbox
              label={text.arguments}
              description={text.argumentsHint}
              isChecked={withArguments}
              onChange={setWithArguments}
            />
          </>
        )}
        <div className={classes['buttons']}>
          <Submit
            label={channel ? text.save : text.create}
            busy={channel ? text.saving : text.creating}
          />
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
