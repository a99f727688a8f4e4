/** The note of an answer, which stays as a draft until the answer counts. */
import { useState } from 'react';
import { noteDraft } from './answer-storage.ts';
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

type NoteFieldProps = ReturnType<typeof useNote> & { readonly label: string };

export function NoteField({ label, note, change }: NoteFieldProps) {
  return (
    <label className={classes['note']}>
      <span>{label}</span>
      <textarea
        rows={2}
        maxLength={4_000}
        value={note}
        onChange={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      />
    </label>
  );
}
