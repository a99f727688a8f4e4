/** What of a call stays hidden until a reader asks: whole values, and parts of texts. */
import type { SourceValue } from '../../platform/json/source-values.ts';
import { secretNames, secretWords, type HiddenNames } from './hidden-names.ts';
import { secretParts } from './secret-parts.ts';
import type { TextRange } from './secret-shapes.ts';

/** What is shown of a hidden value, and of a hidden part. */
export const CONCEALED = '•••';

export interface Hidden {
  /** Where hidden values begin in the source text. */
  readonly values: ReadonlySet<number>;
  /** Of texts with secrets in them: the parts that are hidden, by where the text begins. */
  readonly parts: ReadonlyMap<number, readonly TextRange[]>;
}

export const NOTHING_HIDDEN: Hidden = { values: new Set(), parts: new Map() };

/** The hidden values, and the texts with hidden parts. */
export const hiddenCount = ({ values, parts }: Hidden): number => values.size + parts.size;

/** The text, with a placeholder for each hidden part. */
export function withoutParts(text: string, parts: readonly TextRange[] = []): string {
  const shown: string[] = [];
  let from = 0;
  for (const { start, end } of parts) {
    shown.push(text.slice(from, start), CONCEALED);
    from = end;
  }
  return `${shown.join('')}${text.slice(from)}`;
}

/** The characters of a string, without its hidden parts. */
export const shownCharacters = (value: SourceValue, { parts }: Hidden): string =>
  withoutParts(value.characters, parts.get(value.offset));

/** Values that are hidden by their name, by a name next to them, or by the option before them in a list. None is inside another. */
export function namedValues(whole: SourceValue, names: HiddenNames): SourceValue[] {
  return outermost([...whole.find(secretNames(names)), ...optionValues(whole, names)]);
}

/** An option of a command, with nothing else: `--password`, and a password after it. */
const OPTION = /^"--?[A-Za-z][\w-]*"$/;

function optionValues(whole: SourceValue, names: HiddenNames): SourceValue[] {
  const isSecret = secretWords(names);
  const found: SourceValue[] = [];
  for (const { value, before } of whole.strings()) {
    if (!before || before.length > MOST_OPTION || !OPTION.test(before.source)) continue;
    const isOption = value.source.startsWith('"-') || /^"-+no-|-stdin"$/.test(before.source);
    if (!isOption && isSecret(before.source.slice(1, -1))) found.push(value);
  }
  return found;
}

const MOST_OPTION = 100;

export function outermost(values: readonly SourceValue[]): SourceValue[] {
  const sorted = values.toSorted((one, other) => one.offset - other.offset);
  const kept: SourceValue[] = [];
  for (const value of sorted) {
    const last = kept.at(-1);
    if (!last || !value.isIn(last)) kept.push(value);
  }
  return kept;
}

/** A shorter text has no room for a name and its value. */
const LEAST = 6;

/** The texts with secrets in them, in their order, without those of hidden values. */
export function textsWithSecrets(
  whole: SourceValue,
  hiddenValues: readonly SourceValue[],
  names: HiddenNames,
): ReadonlyMap<SourceValue, readonly TextRange[]> {
  const find = secretParts(names);
  const found = new Map<SourceValue, readonly TextRange[]>();
  let next = 0;
  for (const { value } of whole.strings()) {
    if (value.length < LEAST) continue;
    for (
      let hidden = hiddenValues[next];
      hidden && hidden.offset + hidden.length <= value.offset;
      hidden = hiddenValues[next]
    )
      next += 1;
    const hidden = hiddenValues[next];
    if (hidden && value.isIn(hidden)) continue;
    const parts = find(value.characters);
    if (parts.length > 0) found.set(value, parts);
  }
  return found;
}

/** What messages and pages ask about: places instead of values. */
export const hiddenOf = (
  values: readonly SourceValue[],
  texts: ReadonlyMap<SourceValue, readonly TextRange[]>,
): Hidden => ({
  values: new Set(values.map(({ offset }) => offset)),
  parts: new Map([...texts].map(([{ offset }, parts]) => [offset, parts])),
});
