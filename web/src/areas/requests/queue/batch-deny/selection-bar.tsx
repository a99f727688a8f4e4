/** Below the list while rows are selected: how many, why some left, and what can be done with them. */
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { LinkButton } from '../../../../design/link-button.tsx';
import { useOnline } from '../../../../shell/online.ts';
import { part } from '../../../../shell/new-build.ts';
import { queue as text } from '../../../../text/queue.ts';
import { MOST_SELECTED, type Selection } from './selection.ts';
import classes from './selection-bar.module.css';

const BatchDenyDialog = lazy(async () => {
  const dialog = await part(import('./batch-deny-dialog.tsx'));
  return { default: dialog.BatchDenyDialog };
});

export function SelectionBar({ selection }: { readonly selection: Selection }) {
  const [isOpen, setOpen] = useState(false);
  const isOnline = useOnline();
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
        disabled={count === 0 || !isOnline}
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.denySome(count)}
      </Button>
      {isOpen && (
        <Suspense>
          <BatchDenyDialog
            selection={selection}
            close={() => {
              setOpen(false);
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
