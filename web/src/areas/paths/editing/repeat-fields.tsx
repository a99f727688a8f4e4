/** What happens when the steps run out: how often the path starts again, and after how long. */
import { DurationField } from '../../../shared/design/fields/duration-field.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import { setRepeat } from '../document/path-edits.ts';
import type { PathView } from '../document/read-path.ts';
import { editing as text } from './text.ts';
import { problemIn, usePathEditing } from './path-editing.ts';
import classes from './editing.module.css';

const MOST_TIMES = 9;
const FIRST_WAIT = '30m';

export function RepeatFields({ repeat }: Pick<PathView, 'repeat'>) {
  const { edit, problems } = usePathEditing();
  const { times = 0, after = FIRST_WAIT } = repeat ?? {};
  return (
    <div className={classes['row']}>
      <Select
        label={text.repeat}
        pointer="/repeat/times"
        problem={problemIn(problems, '/repeat/times')}
        options={Array.from({ length: MOST_TIMES + 1 }, (_, count) => ({
          value: String(count),
          label: text.times(count),
        }))}
        value={String(times)}
        onChange={(count) => {
          edit(setRepeat(Number(count), after));
        }}
      />
      {times > 0 && (
        <DurationField
          label={text.after}
          pointer="/repeat/after"
          problem={problemIn(problems, '/repeat/after')}
          value={after}
          onChange={(value) => {
            edit(setRepeat(times, value), 'repeat');
          }}
        />
      )}
    </div>
  );
}
