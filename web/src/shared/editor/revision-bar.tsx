/** The bar of every document with revisions: what changed, what is wrong, and what can be done with it. */
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { LinkButton } from '../design/buttons/link-button.tsx';
import { Instant } from '../design/instant.tsx';
import { permissionText } from '../text/permissions.ts';
import { editor as text } from '../text/editor.ts';
import { useOnline } from '../browser/online.ts';
import { isSaved } from './document-state.ts';
import type { Problem } from './problems.ts';
import type { EditedDocument } from './use-document.ts';
import type { Missing, OpenDialog } from './use-revisions.ts';
import classes from './editor.module.css';

interface RevisionBarProps {
  readonly document: EditedDocument;
  readonly changes: number;
  readonly problems: readonly Problem[];
  readonly missing: Missing;
  /** Another revision became active: it comes first. */
  readonly isBehind: boolean;
  readonly onOpen: (dialog: OpenDialog) => void;
  /** Leads to the place of a problem. */
  readonly onGo: (problem: Problem) => void;
  /** What the last action brought about. */
  readonly told: string;
}

export function RevisionBar(props: RevisionBarProps) {
  const { document, problems, missing, isBehind, onOpen } = props;
  const { state, isChanged, act } = document;
  const canSave = missing.save === undefined;
  const isHeld = problems.some(({ isAllowed }) => isAllowed !== true) || isBehind;
  return (
    <section className={classes['bar']} aria-label={text.bar}>
      <Facts {...props} />
      <div className={classes['steps']}>
        {canSave && (
          <>
            <LinkButton
              onClick={() => {
                act({ type: 'undone' });
              }}
              isDisabled={state.past.length === 0}
            >
              {text.undo}
            </LinkButton>
            <LinkButton
              onClick={() => {
                act({ type: 'redone' });
              }}
              isDisabled={state.future.length === 0}
            >
              {text.redo}
            </LinkButton>
          </>
        )}
        <LinkButton
          onClick={() => {
            onOpen({ kind: 'history' });
          }}
        >
          {text.history}
        </LinkButton>
      </div>
      {canSave && isChanged && (
        <div className={classes['acts']}>
          <Actions
            document={document}
            isHeld={isHeld}
            mayActivate={missing.activate === undefined}
            onOpen={onOpen}
          />
        </div>
      )}
    </section>
  );
}

function Facts({ document, changes, problems, missing, onGo, told }: RevisionBarProps) {
  const { state, isChanged, restoredFrom } = document;
  const isOnline = useOnline();
  const canSave = missing.save === undefined;
  return (
    <div className={classes['facts']}>
      <span className={classes['counts']}>
        <strong>{isChanged ? text.changes(changes) : text.noChanges}</strong>
        {problems.length > 0 && <Problems problems={problems} onGo={onGo} />}
      </span>
      <span role="status" className={classes['said']}>
        {told}
      </span>
      {isChanged && state.saved && isSaved(state) && (
        <span>{text.saved(state.saved.revision)}</span>
      )}
      {restoredFrom !== undefined && (
        <span>
          {text.restored} <Instant at={restoredFrom} as="ago" focusable={false} />.
        </span>
      )}
      {document.isInOtherTab && isChanged && <span>{text.otherTab}</span>}
      {document.isDraftLost && <span>{text.draftTooLarge}</span>}
      {!isOnline && <span>{text.offline}</span>}
      {missing.save !== undefined && (
        <span>
          {missing.isArchived === true
            ? text.archived
            : `${text.readOnly} ${text.missing(permissionText(missing.save))}`}
        </span>
      )}
      {canSave && missing.activate !== undefined && (
        <span>
          {text.cannotActivate} {text.missing(permissionText(missing.activate))}
        </span>
      )}
    </div>
  );
}

function Problems({ problems, onGo }: Pick<RevisionBarProps, 'problems' | 'onGo'>) {
  const [next, setNext] = useState(0);
  return (
    <span className={classes['problems']}>
      <LinkButton
        onClick={() => {
          const problem = problems[next % problems.length];
          if (problem) onGo(problem);
          setNext(next + 1);
        }}
      >
        {text.problems(problems.length)}
      </LinkButton>
    </span>
  );
}

interface ActionsProps {
  readonly document: EditedDocument;
  readonly isHeld: boolean;
  readonly mayActivate: boolean;
  readonly onOpen: RevisionBarProps['onOpen'];
}

function Actions({ document: { state, act }, isHeld, mayActivate, onOpen }: ActionsProps) {
  const isRevision = isSaved(state);
  const save = (isActivated: boolean) => () => {
    if (!isHeld) onOpen({ kind: 'save', isActivated });
  };
  return (
    <>
      <Button
        isSecondary
        onClick={() => {
          act({ type: 'discarded' });
        }}
      >
        {text.discard}
      </Button>
      {!isRevision && (
        <Button isSecondary aria-disabled={isHeld} onClick={save(false)}>
          {text.save}
        </Button>
      )}
      {mayActivate && (
        <Button aria-disabled={isHeld} onClick={save(true)}>
          {isRevision ? text.activate(state.saved?.revision ?? 0) : text.saveAndActivate}
        </Button>
      )}
    </>
  );
}
