/** Names what an action brings about, before it is done. What no one can take back asks for a name instead (confirm-by-name.tsx). */
import { useId, type ReactNode } from 'react';
import { ConfirmButtons, type Doing } from './confirm-buttons.tsx';
import { Modal } from './modal.tsx';

interface ConsequenceProps {
  readonly title: string;
  readonly label: string;
  readonly busy: string;
  readonly doing: Doing;
  /** There is an Undo, or nothing ends. */
  readonly isHarmless?: boolean;
  readonly keep?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Consequence(props: ConsequenceProps) {
  const { title, isHarmless = false, children, ...buttons } = props;
  const id = useId();
  return (
    <Modal labelledBy={id} isWide onClose={buttons.onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      <ConfirmButtons {...buttons} isDanger={!isHarmless} />
    </Modal>
  );
}
