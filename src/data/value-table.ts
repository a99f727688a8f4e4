/** A table of values inside a statement. One array for each column, so any number of rows has the same text. */
import type { Bindings } from '../platform/rows.ts';

type Value = string | number | boolean | Date | null | undefined;

interface Values<Row> {
  /** SQL: a `from` item with these columns, and `place`, which counts from 1. */
  readonly sql: string;
  readonly bindings: (rows: readonly Row[]) => Bindings;
}

export interface ValueTable<Row> extends Values<Row> {
  /** For a statement that always has so many rows: a binding for each value, which costs Postgres less than arrays of one. */
  readonly ofRows: (count: number) => Values<Row>;
}

/** `types`: the SQL type of each column. */
export function valueTable<Row extends Readonly<Record<keyof Row, Value>>>(
  name: string,
  types: Readonly<Record<keyof Row & string, string>>,
): ValueTable<Row> {
  const columns = Object.keys(types) as (keyof Row & string)[];
  const [first, ...others] = columns.map(
    (column) => `cast(:${name}_${column} as ${types[column]}[])`,
  );
  // Postgres estimates the rows by the length of an array, and may then plan a prepared statement again at each call: the plan
  // for one row looks cheaper than one for any number. It does not look into a sub-select.
  return {
    sql: `unnest(${[`(select ${first})`, ...others].join(', ')}) with ordinality as ${name} (${columns.join(', ')}, place)`,
    bindings: (rows) =>
      Object.fromEntries(
        columns.map((column) => [`${name}_${column}`, rows.map((row) => toText(row[column]))]),
      ),
    ofRows: (count) => {
      const nameAt = (place: number, column: string) => `${name}${place}_${column}`;
      const rowAt = (place: number): string => {
        const casts = columns.map((each) => `cast(:${nameAt(place, each)} as ${types[each]})`);
        return `(${[...casts, place].join(', ')})`;
      };
      const rows = Array.from({ length: count }, (_, index) => rowAt(index + 1));
      return {
        sql: `(values ${rows.join(', ')}) as ${name} (${columns.join(', ')}, place)`,
        bindings: (given) => {
          const bound: Record<string, string | number | null> = {};
          for (const [index, row] of given.entries())
            for (const column of columns) bound[nameAt(index + 1, column)] = toText(row[column]);
          return bound;
        },
      };
    },
  };
}

function toText(value: Value): string | number | null {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'boolean' ? String(value) : (value ?? null);
}
