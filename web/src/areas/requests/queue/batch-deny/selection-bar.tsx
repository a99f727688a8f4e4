/** Below the list while rows are selected: how many, why some left, and what can be done with them. */
import { createElement, useEffect, useState } from 'react';
import { Button } from '../../../../shared/design/button.tsx';
import { LinkButton } from '../../../../shared/design/buttons/link-button.tsx';
import { useOnline } from '../../../../shared/browser/online.ts';
import { loadPart } from '../../../../shared/browser/new-build.ts';
import { queue as text } from '../../../../shared/text/queue.ts';
import type { BatchDenyDialog } from './batch-deny-dialog.tsx';
import { MOST_SELECTED, type Selection } from './selection.ts';
import classes from './selection-bar.module.css';

type Dialog = typeof BatchDenyDialog;

/**
 * The dialog, which is loaded while rows are selected: no one needs it before. It is there before the press that opens it, so
 * that what is typed right after the press is its note.
 */
function useDialog(isOnline: boolean): Dialog | undefined {
  const [dialog, setDialog] = useState<{ readonly component: Dialog }>();
  useEffect(() => {
    if (!isOnline) return;
    loadPart(() => import('./batch-deny-dialog.tsx')).then(
      ({ BatchDenyDialog: component }) => {
        setDialog({ component });
      },
      () => undefined,
    );
  }, [isOnline]);
  return dialog?.component;
}

export function SelectionBar({ selection }: { readonly selection: Selection }) {
  const [isOpen, setOpen] = useState(false);
  const isOnline = useOnline();
  const dialog = useDialog(isOnline);
  const { selected, dropped } = selection;
  const { length: count } = selected;
  const hints: readonly string[] = [
    ...(count === 0 && dropped.length === 0 ? [text.hint] : []),
    ...(dropped.length > 0 ? [text.dropped(dropped.length)] : []),
    ...(count === MOST_SELECTED ? [text.most(MOST_SELECTED)] : []),
  ];
  return (
    <section className={classes['bar']} aria-label={text.selection}>
      <div className={classes['selection']}>
        <p role="status" className={classes['state']}>
          <strong>{text.selected(count)}</strong>
          {hints.map((hint) => (
            <span key={hint}>{hint}</span>
          ))}
        </p>
        <LinkButton onClick={selection.selectAll}>{text.selectAll}</LinkButton>
      </div>
      <Button
        disabled={count === 0 || !isOnline || !dialog}
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.denySome(count)}
      </Button>
      {isOpen &&
        dialog &&
        createElement(dialog, {
          selection,
          close: () => {
            setOpen(false);
          },
        })}
    </section>
  );
}
