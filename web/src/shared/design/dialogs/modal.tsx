/** A dialog on top of the page. */
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import classes from './modal.module.css';

interface ModalProps {
  /** The id of its heading. */
  readonly labelledBy: string;
  readonly isWide?: boolean;
  /** At the side of the page instead of in its middle. */
  readonly place?: 'side';
  /** The person pressed Escape. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The browser keeps the focus inside, closes it with Escape, and gives the focus back. */
export function Modal({ labelledBy, isWide = false, place, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed while it is still in the page: only then the focus goes back.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => {
      element?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes['dialog']}
      data-wide={isWide || undefined}
      data-place={place}
      aria-labelledby={labelledBy}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // Browsers close it at a second Escape, whatever the page says.
        onClose();
        requestAnimationFrame(() => {
          const element = dialog.current;
          if (element?.isConnected && !element.open) element.showModal();
        });
      }}
    >
      <div className={classes['content']}>{children}</div>
    </dialog>
  );
}
