/** The working hours of a path: their zone, the week to paint, and what it comes to. */
import { useMemo } from 'react';
import { Combobox } from '../../../shared/design/fields/combobox.tsx';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { ownZone, zoneOptions } from '../../../shared/design/fields/zones.ts';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { useCards } from '../cards/cards-context.ts';
import { addItem, newHours, remove, setValue } from '../document/path-edits.ts';
import type { HoursView } from '../document/read-path.ts';
import { editing as text } from './text.ts';
import { problemIn, usePathEditing } from './path-editing.ts';
import { HoursFacts } from './hours-facts.tsx';
import { HoursTimes } from './hours-times.tsx';
import { WeekGrid } from './week-grid.tsx';
import classes from './editing.module.css';

export function HoursPanel() {
  const { edit } = usePathEditing();
  const { hours } = useCards();
  return (
    <Panel title={text.hoursTitle} hint={text.hoursHint}>
      {hours.map((each) => (
        <HoursSet key={each.id} hours={each} />
      ))}
      <LinkButton
        onClick={() => {
          edit(addItem('/working_hours', newHours(text.officeHours, ownZone())));
        }}
      >
        {text.addHours}
      </LinkButton>
    </Panel>
  );
}

function HoursSet({ hours }: { readonly hours: HoursView }) {
  const { edit, problems } = usePathEditing();
  const { pointer, name, timezone } = hours;
  const zones = useMemo(() => zoneOptions(), []);
  return (
    <div className={classes['set']} data-pointer={pointer} tabIndex={-1}>
      <div className={classes['row']}>
        <TextBox
          label={text.name}
          value={name}
          pointer={`${pointer}/name`}
          problem={problemIn(problems, `${pointer}/name`)}
          onChange={(value) => {
            edit(setValue(`${pointer}/name`, value), `${pointer}/name`);
          }}
        />
        <Combobox
          label={text.zone}
          options={zones}
          isOpen
          value={timezone}
          pointer={`${pointer}/timezone`}
          problem={problemIn(problems, `${pointer}/timezone`)}
          onChange={(value) => {
            edit(setValue(`${pointer}/timezone`, value));
          }}
        />
      </div>
      <WeekGrid
        hours={hours}
        onChange={(next) => {
          edit(setValue(`${pointer}/intervals`, next), `${pointer}/intervals`);
        }}
      />
      <HoursTimes hours={hours} />
      <HoursFacts hours={hours} />
      <LinkButton
        onClick={() => {
          edit(remove(pointer));
        }}
      >
        {text.removeHours}
      </LinkButton>
    </div>
  );
}
