/** A long text or one of several lines, set apart so that it cannot pass for what is around it. */
import { useState } from 'react';
import { exact as words } from '../text/exact.ts';
import { headOf } from './cut-text.tsx';
import { ForeignText } from './foreign-text.tsx';
import classes from './text-block.module.css';

const FIRST_CHARACTERS = 2_000;
const FIRST_LINES = 24;

export function TextBlock({
  text,
  mono = false,
}: {
  readonly text: string;
  readonly mono?: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const head = firstOf(text);
  return (
    <div className={classes['block']} data-mono={mono || undefined}>
      <div className={classes['text']}>
        {text === '' ? <em>{words.emptyText}</em> : <ForeignText text={isWhole ? text : head} />}
        {!isWhole && head.length < text.length && <span aria-hidden="true"> …</span>}
      </div>
      {head.length < text.length && (
        <button
          type="button"
          className={classes['more']}
          aria-expanded={isWhole}
          onClick={() => {
            setWhole(!isWhole);
          }}
        >
          {isWhole ? words.showLess : words.showAll(text.length)}
        </button>
      )}
    </div>
  );
}

function firstOf(text: string): string {
  let end = Math.min(text.length, FIRST_CHARACTERS);
  let line = -1;
  for (let count = 0; count < FIRST_LINES; count += 1) {
    line = text.indexOf('\n', line + 1);
    if (line === -1 || line >= end) break;
    if (count === FIRST_LINES - 1) end = line;
  }
  return headOf(text, end);
}
