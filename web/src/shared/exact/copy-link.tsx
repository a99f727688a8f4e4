/** Copies a text, and says whether it did. The text is made when it is asked for. */
import { useState } from 'react';
import { copyText } from '../browser/copy-text.ts';
import { LinkButton } from '../design/buttons/link-button.tsx';
import { copy as words } from '../text/copy.ts';
import classes from './copy-link.module.css';

interface CopyLinkProps {
  readonly label: string;
  readonly textOf: () => string;
  readonly done?: string;
}

export function CopyLink({ label, textOf, done = words.copied }: CopyLinkProps) {
  const [outcome, setOutcome] = useState('');
  return (
    <>
      <LinkButton
        onClick={() => {
          void copyText(textOf()).then((isCopied) => {
            setOutcome(isCopied ? done : words.notCopied);
          });
        }}
      >
        {label}
      </LinkButton>
      <span role="status" className={classes['outcome']}>
        {outcome}
      </span>
    </>
  );
}
