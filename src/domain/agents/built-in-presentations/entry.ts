/** How the tables of built-in presentations are written. */
import type { PresentationField } from '../tool-presentations.ts';

/** A field: where its value is, its label, its kind, its role, and what else it needs. */
export type Row = readonly [
  path: string,
  label: string,
  kind: PresentationField['kind'],
  role?: PresentationField['role'],
  more?: Pick<PresentationField, 'language' | 'before' | 'after' | 'item'>,
];

export interface BuiltInEntry {
  /** The names that common runtimes and servers use for such a tool. Their arguments differ: fields that point to nothing are left out. */
  readonly tools: readonly string[];
  /** Only for calls to these servers, where the name alone says too little. */
  readonly servers?: readonly string[];
  readonly title: string;
  readonly rows: readonly Row[];
}

export function fieldOf([path, label, kind, role, more]: Row): PresentationField {
  return { path, label, kind, ...more, ...(role && { role }) };
}
