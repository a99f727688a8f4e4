/** Suspends, reactivates and removes a person. */
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import type { Member } from '../people-data.ts';
import { leaving as text } from '../text.ts';
import { RemoveDialog, SuspendDialog } from './leave-dialogs.tsx';
import { useChangeStatus } from './member-data.ts';

export function LeaveActions({ member }: { readonly member: Member }) {
  const { id, display_name: name, status } = member;
  const [open, setOpen] = useState<'suspend' | 'remove'>();
  // Here, so that undoing a suspension does not end with its dialog.
  const change = useChangeStatus(id);
  const close = () => {
    change.reset();
    setOpen(undefined);
  };
  const reactivate = () => {
    const onSuccess = () => {
      showToast(text.reactivated(name));
    };
    if (!change.isPending) change.mutate({ status: 'active' }, { onSuccess });
  };
  return (
    <>
      {change.isError && open === undefined && <p role="alert">{change.error.message}</p>}
      {status === 'suspended' ? (
        <Button aria-busy={change.isPending} onClick={reactivate}>
          {change.isPending ? text.reactivating : text.reactivate}
        </Button>
      ) : (
        <Button
          isSecondary
          onClick={() => {
            setOpen('suspend');
          }}
        >
          {text.suspend}
        </Button>
      )}
      <Button
        isSecondary
        onClick={() => {
          setOpen('remove');
        }}
      >
        {text.remove}
      </Button>
      {open === 'suspend' && <SuspendDialog member={member} change={change} onClose={close} />}
      {open === 'remove' && <RemoveDialog member={member} onClose={close} />}
    </>
  );
}
