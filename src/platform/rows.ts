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
  return await run<Row>(db, sql, bindings);
}

/** The first row, if there is one. */
export async function queryRow<Row>(
  db: Db,
  sql: string,
  bindings: Bindings = {},
): Promise<Row | undefined> {
  return (await run<Row>(db, sql, bindings))[0];
}

/** The row of a statement that always has one. */
export async function queryOne<Row>(db: Db, sql: string, bindings: Bindings = {}): Promise<Row> {
  const [row] = await run<Row>(db, sql, bindings);
  if (row === undefined) throw new Error('a statement that always has a row had none');
  return row;
}

/**
 * For frequent statements: planning them at every call would cost several times as much as running
 * them. Knex would look for bindings in the whole text at every call, so it gets the text of the driver.
 */
export async function runPrepared<Row>(
  db: Db,
  statement: PreparedStatement,
  bindings: Bindings,
): Promise<Row[]> {
  const { name } = statement;
  const { text, members } = positioned(statement);
  const values = members.map((member) => {
    const value = bindings[member];
    if (value === undefined) throw new Error(`statement ${name} has no binding ${member}`);
    return value;
  });
  return named(await db.raw<Result>(text).options({ rowMode: 'array', name, values })) as Row[];
}

interface Positioned {
  readonly sql: string;
  /** With `$1` and so on. */
  readonly text: string;
  /** The bindings in this order. One that stands twice has two places, because they may differ in type. */
  readonly members: readonly string[];
}

const byName = new Map<string, Positioned>();

function positioned({ name, sql }: PreparedStatement): Positioned {
  const known = byName.get(name);
  if (known?.sql === sql) return known;
  const members: string[] = [];
  const text = sql.replaceAll(/(?<![:\w]):([a-z]\w*)/gi, (_, member: string) => {
    members.push(member);
    return `$${members.length}`;
  });
  const made = { sql, text, members };
  byName.set(name, made);
  return made;
}

async function run<Row>(db: Db, sql: string, bindings: Bindings): Promise<Row[]> {
  // Arrays, so that each row becomes an object once, with our names.
  const result = await db
    .raw<Result>(sql, bindings as Readonly<Record<string, Knex.RawBinding>>)
    .options({ rowMode: 'array' });
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
