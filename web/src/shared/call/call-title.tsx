/** What a presentation calls the call: its text, with values of the arguments. */
import { shownCharacters, type Hidden } from '../../../../src/domain/shown/hidden.ts';
import { listText, ownLength } from '../../../../src/domain/shown/value-text.ts';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';
import { exact as words } from '../text/exact.ts';
import { CutText } from '../exact/cut-text.tsx';
import { ExactNumber } from '../exact/exact-number.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import type { Presented } from './presented-call.ts';
import classes from './call-title.module.css';

const ROOM = { most: 120, lengthOf: ownLength };

/** Numbers as they were sent, and lists as words. */
function Value({ value, hidden }: { readonly value: SourceValue; readonly hidden: Hidden }) {
  if (value.kind === 'number') return <ExactNumber source={value.source} />;
  const list = listText(value, hidden, ROOM);
  if (list !== undefined) return <ForeignText text={list} isName />;
  return <CutText text={value.kind === 'string' ? shownCharacters(value, hidden) : value.source} />;
}

interface CallTitleProps extends Pick<Presented, 'title'> {
  readonly hidden: Hidden;
}

export function CallTitle({ title, hidden }: CallTitleProps) {
  return title.map((part, index) => {
    if (typeof part === 'string') return <ForeignText key={index} text={part} />;
    return (
      <strong key={index} className={classes['value']}>
        {part.kind === 'hidden' ? (
          <span role="img" aria-label={words.concealed} title={words.concealed}>
            •••
          </span>
        ) : (
          <Value value={part} hidden={hidden} />
        )}
      </strong>
    );
  });
}
