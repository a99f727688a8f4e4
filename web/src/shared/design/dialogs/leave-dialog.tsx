/** Asks before a page that would lose something is left. */
import { useId } from 'react';
import { Button } from '../button.tsx';
import type { Leaving } from '../../browser/leaving.ts';
import { messages as text } from '../../text/design.ts';
import { Modal } from './modal.tsx';
import classes from './modal.module.css';

interface LeaveDialogProps {
  readonly leaving: Leaving | undefined;
  /** A question. */
  readonly title: string;
  /** What becomes of what is here. */
  readonly why: string;
}

export function LeaveDialog({ leaving, title, why }: LeaveDialogProps) {
  const id = useId();
  if (!leaving) return null;
  return (
    <Modal labelledBy={id} onClose={leaving.stay}>
      <h2 id={id}>{title}</h2>
      <p>{why}</p>
      <div className={classes['buttons']}>
        <Button onClick={leaving.stay}>{text.stay}</Button>
        <Button isSecondary onClick={leaving.leave}>
          {text.leave}
        </Button>
      </div>
    </Modal>
  );
}
