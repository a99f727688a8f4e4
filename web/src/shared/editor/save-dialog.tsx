/** Asks for a comment, shows what a revision changes, and saves or activates it. */
import { useId, useState, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { ApiError } from '../api/api.ts';
import { Modal } from '../design/dialogs/modal.tsx';
import { Checkbox } from '../design/fields/checkbox.tsx';
import { TextArea } from '../design/fields/text-box.tsx';
import note from '../design/note.module.css';
import { editor as text } from '../text/editor.ts';
import type { Base } from './document-state.ts';
import type { useSaving } from './use-revisions.ts';
import classes from './editor.module.css';

interface SaveDialogProps {
  readonly isActivated: boolean;
  /** The revision that the text is already. */
  readonly saved?: number | undefined;
  readonly saving: ReturnType<typeof useSaving>;
  /** What has to be read and ticked before activating. */
  readonly acknowledgment?: string | undefined;
  /** Whether it is not known yet what has to be ticked. */
  readonly isWaiting?: boolean;
  readonly onDone: (saved: Pick<Base, 'revision'>) => void;
  readonly onClose: () => void;
  /** What changes. */
  readonly children?: ReactNode;
}

const MOST_CHARACTERS = 500;

export function SaveDialog(props: SaveDialogProps) {
  const { isActivated, saved, saving, acknowledgment, isWaiting, onDone, onClose, children } =
    props;
  const id = useId();
  const [comment, setComment] = useState('');
  const [isRead, setRead] = useState(false);
  const mayGoOn = !isActivated || (!isWaiting && (acknowledgment === undefined || isRead));
  const close = () => {
    saving.reset();
    onClose();
  };
  const send = () => {
    if (saving.isPending || !mayGoOn) return;
    const wish = { comment: comment.trim(), isActivated };
    saving.mutate(wish, {
      onSuccess: (done) => {
        onDone(done);
        close();
      },
    });
  };
  return (
    <Modal labelledBy={id} isWide onClose={close}>
      <h2 id={id}>{isActivated ? text.activateTitle(saved) : text.saveTitle}</h2>
      {children}
      {saved === undefined && (
        <TextArea
          label={text.comment}
          description={text.commentHint}
          value={comment}
          maxLength={MOST_CHARACTERS}
          rows={2}
          onChange={setComment}
        />
      )}
      {isActivated && acknowledgment !== undefined && (
        <div className={note['warning']}>
          <Checkbox label={acknowledgment} isChecked={isRead} onChange={setRead} />
        </div>
      )}
      {saving.error && (
        <p role="alert" className={note['problem']}>
          {refusalOf(saving.error)}
        </p>
      )}
      <div className={classes['buttons']}>
        <Button
          aria-disabled={!mayGoOn || saving.isPending}
          aria-busy={saving.isPending}
          onClick={send}
        >
          {labelOf(isActivated, saving.isPending)}
        </Button>
        <Button isSecondary onClick={close}>
          {text.cancel}
        </Button>
      </div>
    </Modal>
  );
}

function labelOf(isActivated: boolean, isPending: boolean): string {
  if (isActivated) return isPending ? text.activating : text.activateNow;
  return isPending ? text.saving : text.saveNow;
}

function refusalOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  if (error.retryAfterSeconds !== undefined) return text.busy(error.retryAfterSeconds);
  if (error.code === 'network') return text.offline;
  if (error.code === 'revision_conflict') return text.conflictShort;
  if (Array.isArray(error.details['issues'])) return text.cannotSave;
  return error.message;
}
