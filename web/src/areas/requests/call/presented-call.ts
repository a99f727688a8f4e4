/** What a presentation shows of the arguments, and what it leaves out. */
import type { components } from '../../../shell/openapi.d.ts';
import type { SourceValue } from '../../../exact/source-values.ts';

export type Presentation = components['schemas']['Presentation'];
export type Field = Presentation['fields'][number];

export interface PresentedField {
  readonly field: Field;
  readonly value: SourceValue;
  /** True where it shows a sensitive value: then it is drawn when a reader asks. */
  readonly isHidden: boolean;
}

/** Text of the presentation, a value of the arguments, or the place of a sensitive one. */
export type TitlePart = string | SourceValue | { readonly kind: 'sensitive' };

export interface PresentedCall {
  readonly title: readonly TitlePart[];
  readonly fields: readonly PresentedField[];
  /** Where sensitive values begin. */
  readonly sensitive: ReadonlySet<number>;
  /** How many values of the arguments no field shows. */
  readonly leftOut: number;
}

const PLACEHOLDER = /\{(\/[^{}]*)\}/g;

export function presentCall(
  presentation: Presentation | undefined,
  whole: SourceValue,
): PresentedCall | undefined {
  if (!presentation) return undefined;
  const sensitive = sensitiveIn(presentation, whole);
  const fields = presentation.fields.flatMap((field) => {
    const value = whole.at(field.path);
    if (!value) return [];
    const isHidden =
      field.role === 'sensitive' ||
      drawnBy(field, whole).some((drawn) => isHiddenIn(field, drawn, sensitive));
    return [{ field, value, isHidden }];
  });
  return {
    title: titleOf(presentation.title, whole, sensitive),
    fields,
    sensitive: new Set(sensitive.map(({ offset }) => offset)),
    leftOut: leavesOutside(
      whole,
      fields.map(({ field }) => field),
    ),
  };
}

/** The values of sensitive fields, and both sides of sensitive changes. */
const sensitiveIn = ({ fields }: Presentation, whole: SourceValue): SourceValue[] =>
  fields.flatMap(({ role, path, before = path, after = path }) =>
    role === 'sensitive' ? [path, before, after].flatMap((each) => whole.at(each) ?? []) : [],
  );

/** Lists, tables and changes are hidden as a whole. Other values hide their sensitive parts, unless they are inside one. */
const isHiddenIn = (
  { kind }: Field,
  drawn: SourceValue,
  sensitive: readonly SourceValue[],
): boolean =>
  sensitive.some(
    (each) =>
      drawn.overlaps(each) &&
      (['list', 'table', 'diff'].includes(kind) || drawn.offset >= each.offset),
  );

function titleOf(
  title: string,
  whole: SourceValue,
  sensitive: readonly SourceValue[],
): TitlePart[] {
  // The parts of the pattern between the braces come at odd places.
  return title.split(PLACEHOLDER).flatMap((part, index): TitlePart[] => {
    if (index % 2 === 0) return part === '' ? [] : [part];
    const value = whole.at(part);
    if (!value) return [];
    return sensitive.some((each) => value.overlaps(each)) ? [{ kind: 'sensitive' }] : [value];
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
  /** Of a presentation, or the source text of a key. */
  readonly label: string;
  /** `source`: an argument without a presentation. */
  readonly kind: Field['kind'] | 'source';
  readonly value: SourceValue;
  /** Where values begin in it that stay hidden until a reader asks. */
  readonly sensitive?: ReadonlySet<number>;
}

/** The primary fields, or the first one. An amount has its currency beside it. Without a presentation, the first short value. */
export function mainValuesOf(
  call: PresentedCall | undefined,
  whole: SourceValue | undefined,
): readonly MainValue[] {
  if (call) {
    const open = call.fields.filter(({ isHidden }) => !isHidden);
    const primary = open.filter(({ field }) => field.role === 'primary');
    const main = primary.length > 0 ? primary : open.slice(0, 1);
    const hasMoney = main.some(({ field }) => field.kind === 'money');
    return open
      .filter((each) => main.includes(each) || (hasMoney && isCurrency(each)))
      .map(({ field: { label, kind }, value }) => ({
        label,
        kind,
        value,
        sensitive: call.sensitive,
      }));
  }
  const first = whole?.members.find(({ value }) => value.size === 0 && value.source.length <= 80);
  return first ? [{ label: first.keySource, kind: 'source', value: first.value }] : [];
}

/** An amount means nothing without it, also where a presentation gives it a lower role. */
const isCurrency = ({ field }: PresentedField): boolean => /currency$/i.test(field.path);
