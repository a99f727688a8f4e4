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
    leftOut: leavesOutside(whole, pointersOf(presentation.fields)),
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

const pointersOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ path, before, after }) =>
    [path, before, after].filter((pointer) => pointer !== undefined),
  );

/** A value below a pointer is shown with it, so pointers below others do not count. */
function leavesOutside(whole: SourceValue, pointers: readonly string[]): number {
  const outermost = [...new Set(pointers)].filter(
    (pointer, _index, all) =>
      !all.some((other) => other !== pointer && pointer.startsWith(`${other}/`)),
  );
  const shown = outermost.reduce((sum, pointer) => sum + (whole.at(pointer)?.leaves ?? 0), 0);
  return Math.max(0, (whole.size === 0 ? 0 : whole.leaves) - shown);
}
