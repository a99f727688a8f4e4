/**
 * The shown form of a call: what a presentation says of it, which values stay hidden, and what may deceive its reader. Pages,
 * lists, mail, Slack and webhooks lay out what this says, and decide nothing of it themselves.
 */
import type { SourceValue } from '../../platform/json/source-values.ts';
import { filledTitle, type TitlePart } from './title.ts';
import {
  hiddenOf,
  namedValues,
  NOTHING_HIDDEN,
  outermost,
  textsWithSecrets,
  type Hidden,
} from './hidden.ts';
import type { HiddenNames } from './hidden-names.ts';
import type { TextRange } from './secret-shapes.ts';

/** A field of a presentation, as an entry and as a response of the API have it. */
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
  /** The texts of the arguments with secrets in them, and where in the text these are. */
  readonly hiddenParts: ReadonlyMap<SourceValue, readonly TextRange[]>;
  /** Where both are. */
  readonly hidden: Hidden;
  readonly hiddenInContext: Hidden;
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
  const how = { presentation, hiddenNames };
  return shownWith({ whole }, presentation, {
    hidden: whole ? hiddenInCall(whole, how) : NOTHING_HIDDEN,
    hiddenInContext: context
      ? hiddenInCall(context, { ...how, presentation: undefined })
      : NOTHING_HIDDEN,
  });
}

/** The same, of what is known to be hidden. */
export function shownWith<Field extends ShownField>(
  { whole }: GivenCall,
  presentation: ShownPresentation<Field> | undefined,
  { hidden, hiddenInContext }: Pick<ShownCall, 'hidden' | 'hiddenInContext'>,
): ShownCall<Field> {
  const valueAt = (offset: number): SourceValue[] => (whole ? [whole.from(offset)] : []);
  const values = [...hidden.values].flatMap(valueAt);
  const texts = [...hidden.parts].flatMap(([offset, parts]) =>
    valueAt(offset).map((value) => [value, parts] as const),
  );
  return {
    presented: presentation && whole && presentCall(presentation, whole, { values, hidden }),
    hiddenValues: values,
    hiddenParts: new Map(texts),
    hidden,
    hiddenInContext,
  };
}

/** Where the hidden values and the hidden parts of texts are. */
export function hiddenInCall(whole: SourceValue, how: HowToShow): Hidden {
  const { values, texts } = hiddenValuesOf(whole, how);
  return hiddenOf(values, texts);
}

export interface HiddenInCall {
  readonly values: readonly SourceValue[];
  readonly texts: ReadonlyMap<SourceValue, readonly TextRange[]>;
}

/** The outermost hidden values of the arguments, in the order of the text, and the other texts with secrets in them. */
export function hiddenValuesOf(
  whole: SourceValue,
  { presentation, hiddenNames }: HowToShow,
): HiddenInCall {
  const values = outermost([...markedIn(presentation, whole), ...namedValues(whole, hiddenNames)]);
  return { values, texts: textsWithSecrets(whole, values, hiddenNames) };
}

/** The values of sensitive fields, and both sides of sensitive changes. */
const markedIn = (presentation: ShownPresentation | undefined, whole: SourceValue): SourceValue[] =>
  (presentation?.fields ?? []).flatMap(({ role, path, before = path, after = path }) =>
    role === 'sensitive' ? [path, before, after].flatMap((each) => whole.allAt(each)) : [],
  );

function presentCall<Field extends ShownField>(
  presentation: ShownPresentation<Field>,
  whole: SourceValue,
  { values, hidden }: { readonly values: readonly SourceValue[]; readonly hidden: Hidden },
): PresentedCall<Field> {
  const fields = presentation.fields.flatMap((field) => {
    const value = whole.at(field.path);
    if (!value) return [];
    const isHidden =
      field.role === 'sensitive' ||
      drawnBy(field, whole).some(
        (drawn) => isHiddenIn(field, drawn, values) || isChangeOfSecret(field, drawn, hidden),
      );
    return [{ field, value, isHidden }];
  });
  return {
    title: filledTitle(presentation.title, whole, values),
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

/** Where only parts were hidden, a new secret would look like the old one. */
const isChangeOfSecret = (
  { kind }: ShownField,
  { offset, length }: SourceValue,
  { parts }: Hidden,
): boolean =>
  kind === 'diff' && [...parts.keys()].some((at) => at >= offset && at < offset + length);

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
