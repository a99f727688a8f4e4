/** The exact times of working hours: on which days, from when, until when. */
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { WEEKDAYS } from '../../../../../src/domain/escalation/weekly-hours.ts';
import { addItem, remove, setValue } from '../document/path-edits.ts';
import type { HoursView } from '../document/read-path.ts';
import { paths } from '../text.ts';
import { problemIn, usePathEditing } from './path-editing.ts';
import { editing as text } from './text.ts';
import classes from './editing.module.css';
import cards from '../cards/cards.module.css';

const FIRST_TIMES = { weekdays: ['mon'], start: '09:00', end: '17:30' };

export function HoursTimes({ hours }: { readonly hours: HoursView }) {
  const { edit, problems } = usePathEditing();
  const list = `${hours.pointer}/intervals`;
  const problem = hours.intervals.length === 0 ? problemIn(problems, list) : undefined;
  return (
    <div role="group" aria-label={text.exactTimes(hours.name)} className={classes['times']}>
      {hours.intervals.map((interval, index) => (
        <Times
          key={index}
          pointer={`${list}/${index}`}
          name={text.timesAt(index + 1)}
          interval={interval}
        />
      ))}
      {problem !== undefined && <p className={cards['problem']}>{problem}</p>}
      <LinkButton
        onClick={() => {
          edit(addItem(list, FIRST_TIMES));
        }}
      >
        {text.addTimes}
      </LinkButton>
    </div>
  );
}

interface TimesProps {
  readonly pointer: string;
  readonly name: string;
  readonly interval: HoursView['intervals'][number];
}

function Times({ pointer, name, interval: { weekdays, start, end } }: TimesProps) {
  const { edit, problems } = usePathEditing();
  const days = problemIn(problems, `${pointer}/weekdays`);
  const setDay = (day: (typeof WEEKDAYS)[number], isOn: boolean) => {
    const next = WEEKDAYS.filter((each) => (each === day ? isOn : weekdays.includes(each)));
    edit(setValue(`${pointer}/weekdays`, next));
  };
  const field = (member: 'start' | 'end', value: string) => (
    <TextBox
      label={`${name}: ${text[member]}`}
      isLabelHidden
      value={value}
      maxLength={5}
      pointer={`${pointer}/${member}`}
      problem={problemIn(problems, `${pointer}/${member}`)}
      onChange={(next) => {
        edit(setValue(`${pointer}/${member}`, next), `${pointer}/${member}`);
      }}
    />
  );
  return (
    <div role="group" aria-label={name} className={classes['timesRow']} data-pointer={pointer}>
      <span className={classes['days']}>
        {WEEKDAYS.map((day, index) => (
          <label key={day} className={classes['day']}>
            <input
              type="checkbox"
              checked={weekdays.includes(day)}
              onChange={({ currentTarget }) => {
                setDay(day, currentTarget.checked);
              }}
            />
            {paths.weekdays[index]}
          </label>
        ))}
      </span>
      <span className={classes['fromTo']}>
        {field('start', start)} <span aria-hidden="true">–</span> {field('end', end)}
      </span>
      <button
        type="button"
        className={classes['remove']}
        aria-label={text.removeTimes(name)}
        onClick={() => {
          edit(remove(pointer));
        }}
      >
        ×
      </button>
      {days !== undefined && <p className={cards['problem']}>{days}</p>}
    </div>
  );
}
