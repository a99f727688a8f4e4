/** A table of values inside a statement. One array for each column, so any number of rows has the same text. */
import type { Bindings } from '../platform/rows.ts';

type Value = string | number | boolean | Date | null | undefined;

export interface ValueTable<Row> {
  /** SQL: a `from` item with these columns, and `place`, which counts from 1. */
  readonly sql: string;
  readonly bindings: (rows: readonly Row[]) => Bindings;
}

/** `types`: the SQL type of each column. */
export function valueTable<Row extends Readonly<Record<keyof Row, Value>>>(
  name: string,
  types: Readonly<Record<keyof Row & string, string>>,
): ValueTable<Row> {
  const columns = Object.keys(types) as (keyof Row & string)[];
  const arrays = columns.map((column) => `cast(:${name}_${column} as ${types[column]}[])`);
  return {
    sql: `unnest(${arrays.join(', ')}) with ordinality as ${name} (${columns.join(', ')}, place)`,
    bindings: (rows) =>
      Object.fromEntries(
        columns.map((column) => [`${name}_${column}`, rows.map((row) => toText(row[column]))]),
      ),
  };
}

function toText(value: Value): string | number | null {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'boolean' ? String(value) : (value ?? null);
}
