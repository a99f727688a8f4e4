/** What a presentation calls the call: its text, with values of the arguments. */
import { shownCharacters, type Hidden } from '../../../../../src/domain/shown/hidden.ts';
import { exact as words } from '../../../shared/text/exact.ts';
import { CutText } from '../../../shared/exact/cut-text.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Presented } from './presented-call.ts';
import classes from './call-title.module.css';

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
          <CutText text={part.kind === 'string' ? shownCharacters(part, hidden) : part.source} />
        )}
      </strong>
    );
  });
}
