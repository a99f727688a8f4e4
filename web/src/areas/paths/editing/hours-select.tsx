/** Working hours of the path, chosen by their name. */
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { useCards } from '../cards/cards-context.ts';
import { setValue } from '../document/path-edits.ts';
import { usePathEditing } from './path-editing.ts';
import { editing as text } from './text.ts';

interface HoursSelectProps {
  readonly pointer: string;
  readonly value: string;
}

export function HoursSelect({ pointer, value }: HoursSelectProps) {
  const { edit } = usePathEditing();
  const { hours } = useCards();
  const isKnown = hours.some(({ id }) => id === value);
  return (
    <InlineSelect
      label={text.hours}
      options={[
        ...hours.map(({ id, name }) => ({ value: id, label: name })),
        ...(isKnown ? [] : [{ value, label: text.unknownHours }]),
      ]}
      value={value}
      onChange={(id) => {
        edit(setValue(pointer, id));
      }}
    />
  );
}
