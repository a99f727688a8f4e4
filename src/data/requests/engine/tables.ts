/**
 * SQL: the tables inside a statement that several files name, with the columns that they may read. The file that begins the
 * statement defines them with at least these columns.
 */

/** Its name and its columns, as `ready` and `ready.id`. Another column does not compile. */
type StatementTable<Column extends string> = Readonly<Record<Column | 'table', string>>;

function statementTable<const Column extends string>(
  table: string,
  columns: readonly Column[],
): StatementTable<Column> {
  const named = Object.fromEntries(columns.map((column) => [column, `${table}.${column}`]));
  return { ...named, table } as StatementTable<Column>;
}

/** The requests that are written, at their instants. Of the insert, and of a commit. */
export const READY = statementTable('ready', ['id', 'organization_id', 'agent_instance_id', 'now']);

/** The decisions that are written (`recordDecisions`), in addition to the columns of the table of values `given`. */
export const DECIDED = statementTable('decided', [
  'request_id',
  'organization_id',
  'agent_instance_id',
  'now',
  'is_routed',
]);

/** New notifications whose members get messages. Of a commit, for `OUTBOX`. */
export const NEWLY_NOTIFIED = statementTable('newly_notified', [
  'id',
  'request_id',
  'organization_id',
  'membership_id',
  'step_key',
  'urgency',
]);

/** New notifications that announce their step in Slack. Of a commit, for `OUTBOX`. */
export const ANNOUNCING = statementTable('announcing', ['id', 'request_id', 'organization_id']);

/** One row while the caller's credential is the one that was read. Of `credential.ts`, for a commit. */
export const CREDENTIAL = statementTable('credential', []);
