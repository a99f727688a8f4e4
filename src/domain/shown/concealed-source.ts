/** JSON for other systems, in which a placeholder stands for each hidden value. */
import { readSource } from '../../platform/json/source-values.ts';
import { hiddenValuesOf, type HowToShow } from './shown-call.ts';
import { CONCEALED } from './value-text.ts';

export interface ConcealedSource {
  readonly text: string;
  /** Pointers to the hidden values. */
  readonly hidden: readonly string[];
}

/** Everything else stays as it was sent. */
export function withoutHidden(text: string, how: HowToShow): ConcealedSource {
  const whole = readSource(text);
  // What cannot be read might hold a secret.
  if (!whole) return { text: JSON.stringify(CONCEALED), hidden: [''] };
  const values = hiddenValuesOf(whole, how);
  const parts: string[] = [];
  let from = 0;
  for (const { offset, length } of values) {
    parts.push(text.slice(from, offset), JSON.stringify(CONCEALED));
    from = offset + length;
  }
  return {
    text: [...parts, text.slice(from)].join(''),
    hidden: values.map(({ pointer }) => pointer),
  };
}
