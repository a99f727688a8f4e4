/** The note of a decision. It stays as a draft until the decision counts, and has the focus once it appears. */
import { useEffect, useRef, useState, type PointerEvent } from 'react';
import { requests as text } from '../../../shared/text/requests.ts';
import { noteDraft } from './decision-storage.ts';
import classes from './note-field.module.css';

/** `id`: of the request. A batch has one of its own. */
export function useNote(id: string) {
  const [note, setNote] = useState(() => noteDraft.read(id));
  const change = (changed: string) => {
    setNote(changed);
    noteDraft.write(id, changed);
  };
  return { note, change };
}

type NoteFieldProps = ReturnType<typeof useNote> & {
  readonly label: string;
  /** The id of what the decision is about, for those who cannot see it above. */
  readonly describedBy?: string;
};

export function NoteField({ label, describedBy, note, change }: NoteFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  // After a dialog has opened, which moves the focus itself.
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
  }, []);
  return (
    <label className={classes['note']}>
      <span>{label}</span>
      <textarea
        ref={field}
        rows={1}
        maxLength={4_000}
        aria-describedby={describedBy}
        inputMode="none"
        onPointerDown={showKeyboard}
        value={note}
        onChange={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      />
      <span className={classes['hint']} aria-hidden="true">
        {text.confirmKeys}
      </span>
    </label>
  );
}

/** The keyboard of a phone would cover what one decides about. It comes when the note is touched. */
function showKeyboard({ currentTarget }: PointerEvent<HTMLTextAreaElement>): void {
  if (currentTarget.inputMode !== 'none') return;
  currentTarget.inputMode = 'text';
  // Browsers look at it when the focus comes, as it does at the end of this touch.
  currentTarget.blur();
}
