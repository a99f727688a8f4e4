/** Copies a text, and says whether it did. */
import { useState } from 'react';
import { Button } from '../button.tsx';
import { copyText } from '../../browser/copy-text.ts';
import { copy as text } from '../../text/copy.ts';
import classes from './copy-button.module.css';

export function CopyButton({ label, value }: { readonly label: string; readonly value: string }) {
  const [outcome, setOutcome] = useState('');
  return (
    <span className={classes['copy']}>
      <Button
        isSecondary
        onClick={() => {
          void copyText(value).then((isCopied) => {
            setOutcome(isCopied ? text.copied : text.notCopied);
          });
        }}
      >
        {label}
      </Button>
      <span role="status" className={classes['outcome']}>
        {outcome}
      </span>
    </span>
  );
}
