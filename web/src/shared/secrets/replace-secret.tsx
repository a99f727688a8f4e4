/** Asks how long the old signing secret also works. */
import { useId, useState } from 'react';
import { ConfirmButtons, type Doing } from '../design/dialogs/confirm-buttons.tsx';
import { Modal } from '../design/dialogs/modal.tsx';
import { Select } from '../design/fields/select.tsx';
import note from '../design/note.module.css';
import { replaceSecret as text } from '../text/secrets.ts';

const OVERLAPS = ['none', '1h', '24h', '168h'] as const;

interface ReplaceSecretProps {
  readonly doing: Doing;
  /** What happens until the receiver has the new secret, where the old one stops at once. */
  readonly atOnce: string;
  /** When the secret before the present one stops. */
  readonly previousUntil: string | undefined;
  /** Undefined: the old secret stops at once. */
  readonly onReplace: (overlap: string | undefined) => void;
  readonly onClose: () => void;
}

export function ReplaceSecret(props: ReplaceSecretProps) {
  const { doing, atOnce, previousUntil, onReplace, onClose } = props;
  const id = useId();
  // People whose receiver runs want time to change it.
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('24h');
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{text.title}</h2>
      <p>{text.why}</p>
      <Select
        label={text.overlap}
        options={OVERLAPS.map((value) => ({ value, label: text.overlaps[value] }))}
        value={overlap}
        onChange={setOverlap}
      />
      <p className={overlap === 'none' ? note['warning'] : note['note']}>
        {overlap === 'none' ? atOnce : text.both}
      </p>
      {previousUntil !== undefined && <p className={note['warning']}>{text.stopsBefore}</p>}
      <ConfirmButtons
        doing={doing}
        label={text.confirm}
        busy={text.busy}
        onConfirm={() => {
          onReplace(overlap === 'none' ? undefined : overlap);
        }}
        onClose={onClose}
      />
    </Modal>
  );
}
