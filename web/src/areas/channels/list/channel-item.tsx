/** A channel: who gets what over it, how it is, and what can be done. */
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ConfirmByName } from '../../../shared/design/dialogs/confirm-by-name.tsx';
import { Badge, StateMark } from '../../../shared/design/marks/badge.tsx';
import { Menu } from '../../../shared/design/menus/menu.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { stateOf, type ChannelState } from '../channel-state.ts';
import type { Channel, Readiness } from '../channels-data.ts';
import { channels as text, removal } from '../text.ts';
import { ChannelFacts, NotSetUp } from './channel-facts.tsx';
import { ChannelForm } from './channel-form.tsx';
import { TestResult } from './test-result.tsx';
import { CHANNEL_TONES } from './tones.ts';
import { useChannel } from './use-channel.ts';
import classes from './channels.module.css';

interface ChannelItemProps {
  readonly channel: Channel;
  readonly kinds: readonly Readiness[];
  readonly canWrite: boolean;
  /** Undefined while another secret is shown. */
  readonly onRotate: (() => void) | undefined;
}

export function ChannelItem({ channel, kinds, canWrite, onRotate }: ChannelItemProps) {
  const { id, kind } = channel;
  const doing = useChannel(id);
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const state = stateOf(channel, kinds);
  const readiness = kinds.find((each) => each.kind === kind);
  const open = (which: 'edit' | 'delete') => () => {
    setDialog(which);
  };
  const close = () => {
    setDialog(undefined);
    doing.change.reset();
    doing.remove.reset();
  };
  return (
    <li className={classes['channel']}>
      <Head channel={channel} state={state} />
      {readiness?.configured === false && <NotSetUp variables={readiness.variables} />}
      <ChannelFacts channel={channel} state={state} />
      {canWrite && (
        <Actions
          {...{ channel, doing, onRotate }}
          onEdit={open('edit')}
          onDelete={open('delete')}
        />
      )}
      {doing.test.isError && <p role="alert">{doing.test.error.message}</p>}
      {doing.test.data && !doing.test.isPending && (
        <TestResult kind={kind} result={doing.test.data} />
      )}
      {doing.change.isError && dialog === undefined && (
        <p role="alert">{doing.change.error.message}</p>
      )}
      {dialog === 'edit' && <EditDialog {...{ channel, doing }} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog {...{ channel, doing }} onClose={close} />}
    </li>
  );
}

function Head({ channel, state }: { readonly channel: Channel; readonly state: ChannelState }) {
  const { kind, name } = channel;
  return (
    <div className={classes['head']}>
      <h2>
        <ForeignText text={name} isName />
      </h2>
      {name !== text.kinds[kind] && <Badge>{text.kinds[kind]}</Badge>}
      <StateMark tone={CHANNEL_TONES[state]}>{text.states[state]}</StateMark>
    </div>
  );
}

interface ActionsProps {
  readonly channel: Channel;
  readonly doing: ReturnType<typeof useChannel>;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  readonly onRotate: (() => void) | undefined;
}

function Actions({ channel, doing, onEdit, onDelete, onRotate }: ActionsProps) {
  const { id, kind, name, enabled } = channel;
  const isWebhook = kind === 'webhook';
  return (
    <div className={classes['buttons']}>
      <Button
        isSecondary
        aria-label={text.testOf(name)}
        aria-busy={doing.test.isPending}
        onClick={() => {
          if (!doing.test.isPending) doing.test.mutate(id);
        }}
      >
        {doing.test.isPending ? text.testing : text.test}
      </Button>
      <Button
        isSecondary
        aria-label={isWebhook ? text.editOf(name) : text.renameOf(name)}
        onClick={onEdit}
      >
        {isWebhook ? text.edit : text.rename}
      </Button>
      <Button
        isSecondary
        aria-label={enabled ? text.turnOffOf(name) : text.turnOnOf(name)}
        onClick={() => {
          doing.turn(!enabled);
        }}
      >
        {enabled ? text.turnOff : text.turnOn}
      </Button>
      {isWebhook && (
        <Menu
          label={text.moreOf(name)}
          entries={[
            {
              label: text.rotate,
              onSelect: () => onRotate?.(),
              disabledReason: onRotate ? undefined : text.storeFirst,
            },
            { label: text.delete, onSelect: onDelete, isDangerous: true },
          ]}
        />
      )}
    </div>
  );
}

interface DialogProps {
  readonly channel: Channel;
  readonly doing: ReturnType<typeof useChannel>;
  readonly onClose: () => void;
}

function EditDialog({ channel, doing: { change }, onClose }: DialogProps) {
  const { id, kind } = channel;
  return (
    <ChannelForm
      channel={channel}
      doing={change}
      onSubmit={({ name, ...webhook }) => {
        const onSuccess = () => {
          onClose();
          showToast(text.saved);
        };
        change.mutate({ id, name, ...(kind === 'webhook' && webhook) }, { onSuccess });
      }}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ channel, doing: { remove }, onClose }: DialogProps) {
  const { id, name, recent_messages: recent } = channel;
  return (
    <ConfirmByName
      title={removal.title}
      name={name}
      doing={remove}
      label={removal.delete}
      busy={removal.deleting}
      onConfirm={() => {
        remove.mutate(id, {
          onSuccess: () => {
            showToast(text.deleted);
          },
        });
      }}
      onClose={onClose}
    >
      <p>
        {removal.ends} {removal.waiting(recent.waiting_count)}
      </p>
      <p>{removal.back}</p>
    </ConfirmByName>
  );
}
