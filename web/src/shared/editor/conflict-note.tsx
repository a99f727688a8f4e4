/** Someone else activated a revision while this one was edited. Nothing of it is written over. */
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Modal } from '../design/dialogs/modal.tsx';
import note from '../design/note.module.css';
import { editor as text } from '../text/editor.ts';
import type { Base } from './document-state.ts';
import { mergeDocuments } from './merge.ts';
import type { EditedDocument } from './use-document.ts';
import classes from './editor.module.css';

interface ConflictNoteProps {
  readonly document: EditedDocument;
  /** What is active now. */
  readonly active: Base;
  /** Who activated it. */
  readonly by: string | undefined;
  readonly onTold: (message: string) => void;
  /** What one text changes from another, as sentences. */
  readonly compare: (before: string, after: string) => ReactNode;
}

export function ConflictNote({ document, active, by, onTold, compare }: ConflictNoteProps) {
  const { state, read, act } = document;
  const [isComparing, setComparing] = useState(false);
  return (
    <div role="alert" className={note['warning']}>
      <p>
        <bdi>{by ?? text.someone}</bdi> {text.conflict(active.revision)}
      </p>
      <div className={classes['buttons']}>
        <Button
          isSecondary
          onClick={() => {
            setComparing(true);
          }}
        >
          {text.compare}
        </Button>
        {!read.problem && (
          <Button
            isSecondary
            onClick={() => {
              const { base, text: mine } = state;
              const merged = mergeDocuments({ base: base.text, mine, theirs: active.text });
              act({ type: 'rebased', base: active, text: merged.text });
              onTold(
                [
                  text.onTop(active.revision),
                  ...(merged.clashes > 0 ? [text.clashes(merged.clashes)] : []),
                ].join(' '),
              );
            }}
          >
            {text.putOnTop}
          </Button>
        )}
        <Button
          isSecondary
          onClick={() => {
            act({ type: 'rebased', base: active, text: active.text });
          }}
        >
          {text.takeTheirs}
        </Button>
      </div>
      {isComparing && (
        <Comparison
          {...{ document, active, compare }}
          onClose={() => {
            setComparing(false);
          }}
        />
      )}
    </div>
  );
}

function Comparison({
  document: { state },
  active,
  compare,
  onClose,
}: Pick<ConflictNoteProps, 'document' | 'active' | 'compare'> & { readonly onClose: () => void }) {
  return (
    <Modal labelledBy="compare" isWide onClose={onClose}>
      <h2 id="compare">{text.theirChanges(active.revision)}</h2>
      {compare(state.base.text, active.text)}
      <h2>{text.myChanges}</h2>
      {compare(state.base.text, state.text)}
      <Button isSecondary onClick={onClose}>
        {text.close}
      </Button>
    </Modal>
  );
}
