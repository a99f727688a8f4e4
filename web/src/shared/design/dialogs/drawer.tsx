/** A sheet at the side of the page, above it. On phones it covers the page from below. */
import { useId, type ReactNode } from 'react';
import { messages as text } from '../../text/design.ts';
import { Modal } from './modal.tsx';
import classes from './drawer.module.css';

interface DrawerProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Drawer({ title, onClose, children }: DrawerProps) {
  const id = useId();
  return (
    <Modal labelledBy={id} place="side" onClose={onClose}>
      <div className={classes['head']}>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className={classes['close']}
          aria-label={text.close}
          onClick={onClose}
        >
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path d="M5 5l10 10M15 5L5 15" fill="none" stroke="currentcolor" strokeWidth="1.6" />
          </svg>
        </button>
      </div>
      {children}
    </Modal>
  );
}
