/** The bar below the editor: whether something changed, taking it back, and saving. */
import type { ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import type { EditedDocument } from '../../../shared/editor/use-document.ts';
import { editor as editorText } from '../../../shared/text/editor.ts';
import { editor as text } from '../text.ts';
import classes from './editor.module.css';

interface SaveBarProps {
  readonly document: EditedDocument;
  /** It can be saved as it begins. */
  readonly isNew: boolean;
  readonly isBusy: boolean;
  /** Something else has to be decided first. */
  readonly isHeld: boolean;
  readonly onSave: () => void;
  /** What has to be read first: it stands above, where the bar cannot cover it. */
  readonly children?: ReactNode;
}

export function SaveBar({ document, isNew, isBusy, isHeld, onSave, children }: SaveBarProps) {
  const { state, isChanged, act, restoredFrom, isInOtherTab } = document;
  const canSave = (isNew || isChanged) && !isHeld;
  return (
    <section className={classes['bar']} aria-label={editorText.bar}>
      {children}
      <p className={classes['soft']}>
        <strong>{isNew || isChanged ? text.unsaved : text.noChanges}</strong>
        {restoredFrom !== undefined && (
          <>
            {' '}
            {text.restored} <Instant at={restoredFrom} as="ago" />.
          </>
        )}
        {isInOtherTab && ` ${editorText.otherTab}`}
      </p>
      <div className={classes['acts']}>
        <LinkButton
          isDisabled={state.past.length === 0}
          onClick={() => {
            act({ type: 'undone' });
          }}
        >
          {text.undo}
        </LinkButton>
        <LinkButton
          isDisabled={state.future.length === 0}
          onClick={() => {
            act({ type: 'redone' });
          }}
        >
          {text.redo}
        </LinkButton>
        {isChanged && (
          <LinkButton
            onClick={() => {
              act({ type: 'discarded' });
            }}
          >
            {text.discard}
          </LinkButton>
        )}
        <Button
          aria-disabled={!canSave}
          aria-busy={isBusy}
          onClick={() => {
            if (canSave) onSave();
          }}
        >
          {isBusy ? text.saving : text.save}
        </Button>
      </div>
    </section>
  );
}
