/** JSON for other systems, in which a placeholder stands for each hidden value. */
import { readSource } from '../../platform/json/source-values.ts';
import { hiddenValuesOf, type HowToShow } from './shown-call.ts';
import { CONCEALED, withoutParts } from './hidden.ts';

export interface ConcealedSource {
  readonly text: string;
  /** Pointers to the hidden values, and to the texts with hidden parts. */
  readonly hidden: readonly string[];
}

/** Everything else stays as it was sent. */
export function withoutHidden(text: string, how: HowToShow): ConcealedSource {
  const whole = readSource(text);
  // What cannot be read might hold a secret.
  if (!whole) return { text: JSON.stringify(CONCEALED), hidden: [''] };
  const { values, texts } = hiddenValuesOf(whole, how);
  const replaced = [
    ...values.map((value) => ({ value, by: CONCEALED })),
    ...[...texts].map(([value, parts]) => ({ value, by: withoutParts(value.characters, parts) })),
  ].toSorted((one, other) => one.value.offset - other.value.offset);
  const shown: string[] = [];
  let from = 0;
  for (const { value, by } of replaced) {
    shown.push(text.slice(from, value.offset), JSON.stringify(by));
    from = value.offset + value.length;
  }
  return {
    text: [...shown, text.slice(from)].join(''),
    hidden: replaced.map(({ value }) => value.pointer),
  };
}
