/** Takes the second factor from someone who lost it. */
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import type { Member } from '../people-data.ts';
import { factor as text } from '../text.ts';
import { useResetFactor } from './member-data.ts';

export function ResetFactor({ member: { id } }: { readonly member: Member }) {
  const [isOpen, setOpen] = useState(false);
  const reset = useResetFactor(id);
  const close = () => {
    reset.reset();
    setOpen(false);
  };
  return (
    <>
      <Button
        isSecondary
        isSmall
        aria-label={text.resetOf}
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.reset}
      </Button>
      {isOpen && (
        <Consequence
          title={text.resetOf}
          label={text.confirm}
          busy={text.resetting}
          doing={reset}
          onConfirm={() => {
            reset.mutate(undefined, {
              onSuccess: () => {
                close();
                showToast(text.done);
              },
            });
          }}
          onClose={close}
        >
          <p>{text.why}</p>
          <p>{text.ends}</p>
        </Consequence>
      )}
    </>
  );
}
