/** The lines in which a value is drawn: one for each value, and one for the end of each container. */
import { NOTHING_HIDDEN, type Hidden } from '../../../../src/domain/shown/hidden.ts';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';

export interface JsonRow {
  readonly depth: number;
  /** With its quotes; absent for items and for the outermost value. */
  readonly keySource: string | undefined;
  readonly part: 'value' | 'open' | 'close' | 'hidden';
  readonly value: SourceValue;
}

/** Deeper rows would have no room left. */
const MOST_STEPS = 20;

/** How far a row is indented. Where the indentation ends, also the depth, which is then drawn in front of it. */
export const indentOf = (depth: number): { readonly steps: number; readonly level?: number } =>
  depth > MOST_STEPS ? { steps: MOST_STEPS, level: depth } : { steps: depth };

/** `hidden`: what is drawn only when a reader asks. */
export function rowsOf(outermost: SourceValue, hidden: Hidden = NOTHING_HIDDEN): JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (value: SourceValue, depth: number, keySource?: string): void => {
    if (hidden.values.has(value.offset)) {
      rows.push({ depth, keySource, part: 'hidden', value });
      return;
    }
    if (value.size === 0) {
      rows.push({ depth, keySource, part: 'value', value });
      return;
    }
    rows.push({ depth, keySource, part: 'open', value });
    for (const member of value.members) add(member.value, depth + 1, member.keySource);
    for (const item of value.items) add(item, depth + 1);
    rows.push({ depth, keySource: undefined, part: 'close', value });
  };
  add(outermost, 0);
  return rows;
}
