/** Code to copy. What is shown may hide a secret that the copy has. */
import { CopyButton } from '../design/buttons/copy-button.tsx';
import { copy as text } from '../text/copy.ts';
import classes from './code.module.css';

interface CodeProps {
  readonly label: string;
  readonly value: string;
  readonly shown?: string;
}

export function Code({ label, value, shown = value }: CodeProps) {
  return (
    <div className={classes['code']}>
      {/* Long lines scroll, also by the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {shown}
      </pre>
      <CopyButton value={value} label={text.code} />
    </div>
  );
}
