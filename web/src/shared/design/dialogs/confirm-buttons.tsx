/** The end of a dialog: why it did not work, the button that does it, and the one that leaves. */
import { Button } from '../button.tsx';
import { messages as text } from '../../text/design.ts';
import classes from './confirm-buttons.module.css';

/** The part of a mutation that a dialog shows. */
export interface Doing {
  readonly isPending: boolean;
  readonly error: Error | null;
}

interface ConfirmButtonsProps {
  readonly doing: Doing;
  readonly label: string;
  /** The label while it is being done. */
  readonly busy: string;
  readonly isDanger?: boolean;
  /** The label of the button that leaves, where "Cancel" could be read as the act itself. */
  readonly keep?: string | undefined;
  /** Absent where the button submits a form. */
  readonly onConfirm?: () => void;
  /** Absent where the form is a part of a dialog. */
  readonly onClose?: (() => void) | undefined;
}

export function ConfirmButtons(props: ConfirmButtonsProps) {
  const { doing, label, busy, isDanger = false, keep = text.cancel, onConfirm, onClose } = props;
  return (
    <>
      <div role="alert" className={classes['problem']}>
        {doing.error?.message}
      </div>
      <div className={classes['buttons']}>
        <Button
          type={onConfirm ? 'button' : 'submit'}
          className={isDanger ? (classes['danger'] ?? '') : ''}
          aria-busy={doing.isPending}
          onClick={() => {
            if (!doing.isPending) onConfirm?.();
          }}
        >
          {doing.isPending ? busy : label}
        </Button>
        {onClose && (
          <Button isSecondary onClick={onClose}>
            {keep}
          </Button>
        )}
      </div>
    </>
  );
}
