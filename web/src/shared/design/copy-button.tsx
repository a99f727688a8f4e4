/** Copies a text, and says whether it did. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { copy as text } from '../text/copy.ts';
import classes from './copy-button.module.css';

export function CopyButton({ label, value }: { readonly label: string; readonly value: string }) {
  const [outcome, setOutcome] = useState('');
  return (
    <span className={classes['copy']}>
      <Button
        variant="default"
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

async function copyText(value: string): Promise<boolean> {
  try {
    // Absent where the page did not come over HTTPS.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    await clipboard?.writeText(value);
    return clipboard !== undefined;
  } catch {
    return false;
  }
}
