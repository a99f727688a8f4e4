/** What a presentation shows of the arguments, and what it leaves out. */
import type { components } from '../../../shell/openapi.d.ts';
import type { SourceValue } from '../../../exact/source-values.ts';

export type Presentation = components['schemas']['Presentation'];
export type Field = Presentation['fields'][number];

export interface PresentedField {
  readonly field: Field;
  readonly value: SourceValue;
}

export interface PresentedCall {
  /** Text of the presentation and values of the arguments, in turn. */
  readonly title: readonly (string | SourceValue)[];
  readonly fields: readonly PresentedField[];
  /** How many values of the arguments no field shows. */
  readonly leftOut: number;
}

const PLACEHOLDER = /\{(\/[^{}]*)\}/g;

export function presentCall(
  presentation: Presentation | undefined,
  whole: SourceValue,
): PresentedCall | undefined {
  if (!presentation) return undefined;
  const fields = presentation.fields.flatMap((field) => {
    const value = whole.at(field.path);
    return value ? [{ field, value }] : [];
  });
  return {
    title: titleOf(presentation.title, whole),
    fields,
    leftOut: leavesOutside(
      whole,
      fields.map(({ field }) => field),
    ),
  };
}

function titleOf(title: string, whole: SourceValue): (string | SourceValue)[] {
  // The parts of the pattern between the braces come at odd places.
  return title.split(PLACEHOLDER).flatMap((part, index): (string | SourceValue)[] => {
    if (index % 2 === 0) return part === '' ? [] : [part];
    const value = whole.at(part);
    return value ? [value] : [];
  });
}

/** What a field draws: of a table its columns, of a diff the texts that are compared. */
function drawnBy({ path, kind, before, after, item }: Field, whole: SourceValue): SourceValue[] {
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

function leavesOutside(whole: SourceValue, fields: readonly Field[]): number {
  if (whole.size === 0) return 0;
  const drawn = fields.flatMap((field) => drawnBy(field, whole)).flatMap((value) => value.leaves);
  return whole.leaves.length - new Set(drawn).size;
}

/** What a reader decides by, with its name. */
export interface MainValue {
  readonly label: string;
  readonly kind: Field['kind'];
  readonly value: SourceValue;
}

/** The primary fields, or the first one. An amount has its currency beside it. Without a presentation, the first short value. */
export function mainValuesOf(
  call: PresentedCall | undefined,
  whole: SourceValue | undefined,
): readonly MainValue[] {
  if (call) {
    const open = call.fields.filter(({ field }) => field.role !== 'sensitive');
    const primary = open.filter(({ field }) => field.role === 'primary');
    const main = primary.length > 0 ? primary : open.slice(0, 1);
    const hasMoney = main.some(({ field }) => field.kind === 'money');
    return open
      .filter((each) => main.includes(each) || (hasMoney && isCurrency(each)))
      .map(({ field: { label, kind }, value }) => ({ label, kind, value }));
  }
  const first = whole?.members.find(({ value }) => value.size === 0 && value.source.length <= 80);
  return first ? [{ label: first.key, kind: 'text', value: first.value }] : [];
}

/** An amount means nothing without it, also where a presentation gives it a lower role. */
const isCurrency = ({ field }: PresentedField): boolean => /currency$/i.test(field.path);

/** Where values begin that stay hidden until a reader asks. */
export const sensitiveOffsets = (call: PresentedCall | undefined): ReadonlySet<number> =>
  new Set(
    call?.fields.flatMap(({ field, value }) => (field.role === 'sensitive' ? [value.offset] : [])),
  );
