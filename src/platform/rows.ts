/** The rows of a statement, with the columns' names as TypeScript writes them: `created_at` becomes `createdAt`. */
import type { Knex } from 'knex';
import { memberName } from './member-names.ts';
import type { Db } from './postgres.ts';

/** Bindings are `:name` in the statement. */
export type Bindings = Readonly<
  Record<string, Knex.RawBinding | readonly (string | number | null)[]>
>;

/** A statement that each connection plans once, under its name, and then keeps. */
export interface PreparedStatement {
  readonly name: string;
  /** Constant text, because a name always refers to the same text. Bindings are `:name`. */
  readonly sql: string;
}

/** The driver's result: each row an array, in the order of the fields. */
interface Result {
  readonly fields: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

export async function queryRows<Row>(db: Db, sql: string, bindings: Bindings = {}): Promise<Row[]> {
  return await run<Row>(db, sql, { bindings });
}

/** The first row, if there is one. */
export async function queryRow<Row>(
  db: Db,
  sql: string,
  bindings: Bindings = {},
): Promise<Row | undefined> {
  return (await run<Row>(db, sql, { bindings }))[0];
}

/** The row of a statement that always has one. */
export async function queryOne<Row>(db: Db, sql: string, bindings: Bindings = {}): Promise<Row> {
  const [row] = await run<Row>(db, sql, { bindings });
  if (row === undefined) throw new Error('a statement that always has a row had none');
  return row;
}

/**
 * For frequent statements: planning them at every call would cost several times as much as running
 * them.
 */
export async function runPrepared<Row>(
  db: Db,
  { name, sql }: PreparedStatement,
  bindings: Bindings,
): Promise<Row[]> {
  return await run<Row>(db, sql, { name, bindings });
}

async function run<Row>(
  db: Db,
  sql: string,
  { name, bindings }: { readonly name?: string; readonly bindings: Bindings },
): Promise<Row[]> {
  // Arrays, so that each row becomes an object once, with our names.
  const result = await db
    .raw<Result>(sql, bindings as Readonly<Record<string, Knex.RawBinding>>)
    .options({ rowMode: 'array', ...(name !== undefined && { name }) });
  return named(result) as Row[];
}

/** Only the columns get other names: what is inside a value, such as the members of `jsonb`, stays as it is. */
function named({ fields, rows }: Result): Record<string, unknown>[] {
  if (rows.length === 0) return [];
  const members = fields.map(({ name }) => memberName(name));
  // A copy of one object, so that all rows share its shape.
  const empty = Object.fromEntries(members.map((member) => [member, null]));
  return rows.map((values) => {
    const row: Record<string, unknown> = { ...empty };
    let place = 0;
    for (const member of members) row[member] = values[place++];
    return row;
  });
}
