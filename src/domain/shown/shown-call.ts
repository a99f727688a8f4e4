/**
 * The shown form of a call: what a presentation says of it, which values stay hidden, and what may deceive its reader. Pages,
 * lists, mail, Slack and webhooks lay out what this says, and decide nothing of it themselves.
 */
import type { SourceValue } from '../../platform/json/source-values.ts';
import { filledTitle, type TitlePart } from './title.ts';
import { secretNames, type HiddenNames } from './hidden-names.ts';

/** A field of a presentation, as an entry and as an answer of the API have it. */
export interface ShownField {
  readonly path: string;
  readonly label: string;
  readonly kind: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly item?:
    { readonly fields?: readonly { readonly path: string }[] | undefined } | undefined;
  readonly role?: string | undefined;
}

export interface ShownPresentation<Field extends ShownField = ShownField> {
  readonly title: string;
  readonly fields: readonly Field[];
}

export interface PresentedField<Field extends ShownField = ShownField> {
  readonly field: Field;
  readonly value: SourceValue;
  /** It is drawn only when a reader asks. */
  readonly isHidden: boolean;
}

export interface PresentedCall<Field extends ShownField = ShownField> {
  readonly title: readonly TitlePart[];
  readonly fields: readonly PresentedField<Field>[];
  /** How many values of the arguments no field shows. */
  readonly leftOut: number;
}

export interface ShownCall<Field extends ShownField = ShownField> {
  /** Undefined where nothing is known about the tool. */
  readonly presented: PresentedCall<Field> | undefined;
  /** The hidden values of the arguments, in the order of the text. None is inside another. */
  readonly hiddenValues: readonly SourceValue[];
  /** Where they begin. */
  readonly hidden: ReadonlySet<number>;
  readonly hiddenInContext: ReadonlySet<number>;
}

export interface HowToShow<Field extends ShownField = ShownField> {
  readonly presentation: ShownPresentation<Field> | undefined;
  readonly hiddenNames: HiddenNames;
}

interface GivenCall {
  readonly whole: SourceValue | undefined;
  readonly context?: SourceValue | undefined;
}

export function shownCall<Field extends ShownField>(
  { whole, context }: GivenCall,
  { presentation, hiddenNames }: HowToShow<Field>,
): ShownCall<Field> {
  const hiddenValues = whole ? hiddenValuesOf(whole, { presentation, hiddenNames }) : [];
  return {
    presented: presentation && whole && presentCall(presentation, whole, hiddenValues),
    hiddenValues,
    hidden: offsetsOf(hiddenValues),
    hiddenInContext: offsetsOf(context?.find(secretNames(hiddenNames)) ?? []),
  };
}

/** The outermost hidden values of the arguments, in the order of the text. */
export const hiddenValuesOf = (
  whole: SourceValue,
  { presentation, hiddenNames }: HowToShow,
): readonly SourceValue[] =>
  outermost([...markedIn(presentation, whole), ...whole.find(secretNames(hiddenNames))]);

const offsetsOf = (values: readonly SourceValue[]): ReadonlySet<number> =>
  new Set(values.map(({ offset }) => offset));

function outermost(values: readonly SourceValue[]): SourceValue[] {
  const sorted = values.toSorted((one, other) => one.offset - other.offset);
  const kept: SourceValue[] = [];
  for (const value of sorted) {
    const last = kept.at(-1);
    if (!last || !value.isIn(last)) kept.push(value);
  }
  return kept;
}

/** The values of sensitive fields, and both sides of sensitive changes. */
const markedIn = (presentation: ShownPresentation | undefined, whole: SourceValue): SourceValue[] =>
  (presentation?.fields ?? []).flatMap(({ role, path, before = path, after = path }) =>
    role === 'sensitive' ? [path, before, after].flatMap((each) => whole.allAt(each)) : [],
  );

function presentCall<Field extends ShownField>(
  presentation: ShownPresentation<Field>,
  whole: SourceValue,
  hidden: readonly SourceValue[],
): PresentedCall<Field> {
  const fields = presentation.fields.flatMap((field) => {
    const value = whole.at(field.path);
    if (!value) return [];
    const isHidden =
      field.role === 'sensitive' ||
      drawnBy(field, whole).some((drawn) => isHiddenIn(field, drawn, hidden));
    return [{ field, value, isHidden }];
  });
  return {
    title: filledTitle(presentation.title, whole, hidden),
    fields,
    leftOut: leavesOutside(
      whole,
      fields.map(({ field }) => field),
    ),
  };
}

/** Lists, tables and changes are hidden as a whole. Other values hide their hidden parts, unless they are inside one. */
const isHiddenIn = (
  { kind }: ShownField,
  drawn: SourceValue,
  hidden: readonly SourceValue[],
): boolean =>
  hidden.some(
    (each) =>
      drawn.overlaps(each) && (['list', 'table', 'diff'].includes(kind) || drawn.isIn(each)),
  );

/** What a field draws: of a table its columns, of a diff the texts that are compared. */
function drawnBy(
  { path, kind, before, after, item }: ShownField,
  whole: SourceValue,
): SourceValue[] {
  const value = whole.at(path);
  const at = (pointer: string | undefined) =>
    pointer === undefined ? undefined : whole.at(pointer);
  if (kind === 'diff') {
    const [old, now] = [at(before), at(after)].map((each) =>
      each?.kind === 'string' ? each : undefined,
    );
    const compared = now ? [old, now] : [value];
    return compared.filter((each) => each !== undefined);
  }
  const columns = item?.fields ?? [];
  if (
    kind === 'table' &&
    value &&
    columns.length > 0 &&
    value.items.every((row) => row.kind === 'object')
  )
    return value.items.flatMap((row) => columns.flatMap((column) => row.at(column.path) ?? []));
  return value ? [value] : [];
}

function leavesOutside(whole: SourceValue, fields: readonly ShownField[]): number {
  if (whole.size === 0) return 0;
  const drawn = fields.flatMap((field) => drawnBy(field, whole)).flatMap((value) => value.leaves);
  return whole.leaves.length - new Set(drawn).size;
}
