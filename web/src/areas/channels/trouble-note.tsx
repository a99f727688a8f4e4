/** What went wrong with a message: in words, what to do, and what the other side said as it said it. */
import { TextBlock } from '../../shared/exact/text-block.tsx';
import type { Trouble } from './trouble.ts';
import { troubleText } from './trouble-text.ts';
import { test as words } from './text.ts';
import classes from './trouble-note.module.css';

interface TroubleNoteProps {
  readonly trouble: Trouble;
  /** What the other side said, or what the service wrote about it. */
  readonly said?: string | undefined;
  /** Default: that the receiver said it. */
  readonly label?: string;
}

export function TroubleNote({ trouble, said, label = words.said }: TroubleNoteProps) {
  const { fact, advice } = troubleText(trouble);
  return (
    <div className={classes['trouble']}>
      <p>{fact}</p>
      <p>{advice}</p>
      {said !== undefined && said !== '' && (
        <div className={classes['said']}>
          <p>{label}</p>
          <TextBlock text={said} />
        </div>
      )}
    </div>
  );
}
