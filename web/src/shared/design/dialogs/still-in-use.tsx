/** Says that something cannot go yet, and what still uses it. */
import { useId, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { messages as text } from '../../text/design.ts';
import { Modal } from './modal.tsx';

interface StillInUseProps {
  readonly title: string;
  readonly told: string;
  readonly onClose: () => void;
  /** Lists with links. */
  readonly children: ReactNode;
}

export function StillInUse({ title, told, onClose, children }: StillInUseProps) {
  const id = useId();
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <p role="alert">{told}</p>
      {children}
      <div>
        <Button isSecondary onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </Modal>
  );
}
