/** Fields as the entries of a list that one searches. */
import type { ComboboxOption } from '../design/fields/combobox.tsx';
import { fieldLabel, type FieldChoice } from './field-choices.ts';
import { conditions as text } from './text.ts';

export const optionOf = (field: FieldChoice): ComboboxOption => ({
  value: field.pointer,
  label: fieldLabel(field.pointer),
  code: field.pointer,
  detail: [
    field.types.map((type) => text.types[type]).join(', '),
    ...(field.seen ? [text.seen(field.seen.count, field.seen.requests)] : []),
    ...(field.isHidden ? [text.hidden] : []),
  ]
    .filter((part) => part !== '')
    .join(' · '),
  examples: field.examples,
});
