/** A long text or one of several lines, set apart so that it cannot pass for what is around it. */
import { useMemo, useState } from 'react';
import { cutOnPage, textPieces } from '../../../../src/domain/shown/text-pieces.ts';
import { exact as words } from '../text/exact.ts';
import { CopyLink } from './copy-link.tsx';
import { ForeignPieces } from './foreign-text.tsx';
import { useReading } from './reading.ts';
import classes from './text-block.module.css';

interface TextBlockProps {
  readonly text: string;
  readonly mono?: boolean;
  /** True for a command: no line begins inside one of its words if the word fits on a line. */
  readonly isCommand?: boolean;
  /** Where the value begins in the arguments. */
  readonly offset?: number | undefined;
}

export function TextBlock({ text, mono = false, isCommand = false, offset }: TextBlockProps) {
  const [isWhole, setWhole] = useState(false);
  const reading = useReading();
  const { head, tail } = useMemo(() => cutOnPage(text), [text]);
  const pieces = useMemo(() => (isWhole ? textPieces(text) : head), [isWhole, text, head]);
  return (
    <div className={classes['block']} data-mono={mono || undefined}>
      <div className={classes['text']}>
        {text === '' && <em>{words.emptyText}</em>}
        <ForeignPieces pieces={pieces} isCommand={isCommand} />
        {!isWhole && tail && (
          <>
            <p className={classes['between']}>{words.between(text.length)}</p>
            <ForeignPieces pieces={tail} isCommand={isCommand} />
          </>
        )}
      </div>
      {tail && (
        <div className={classes['acts']}>
          <button
            type="button"
            className={classes['more']}
            aria-expanded={isWhole}
            onClick={() => {
              setWhole(!isWhole);
              if (offset !== undefined) reading.open(offset);
            }}
          >
            {isWhole ? words.showLess : words.showAll(text.length)}
          </button>
          <CopyLink label={words.copyText} textOf={() => text} />
        </div>
      )}
    </div>
  );
}
