/** What a migration may do to tables that a service uses meanwhile. docs/contributing/migration.md says why. */

/** Final before these rules were. */
export const BEFORE_THE_RULES: readonly string[] = [
  '20261127000000_baseline.ts',
  '20261128100000_call_results.ts',
  '20261128130000_numbered_checkpoints.ts',
];

interface Rule {
  readonly says: string;
  readonly breaks: (statement: string, migration: Migration) => boolean;
}

interface Migration {
  /** Its file has `config = { transaction: false }`. */
  readonly alone: boolean;
  readonly statements: readonly string[];
  readonly isNew: (table: string | undefined) => boolean;
}

const tableOf = (pattern: RegExp, statement: string): string | undefined =>
  pattern.exec(statement)?.[1];
const altered = (statement: string): string | undefined =>
  tableOf(/^alter table (?:if exists )?(?:only )?(\w+)/, statement);
const locked = (statement: string): string | undefined =>
  altered(statement) ??
  tableOf(/^(?:create|drop) (?:constraint )?trigger .*? on (\w+)/, statement) ??
  tableOf(/^drop table (?:if exists )?(\w+)/, statement);
const indexed = (statement: string): string | undefined =>
  tableOf(/^create (?:unique )?index .*? on (?:only )?(\w+)/, statement);

const RULES: readonly Rule[] = [
  {
    says: 'An index of a table in use is built `concurrently`.',
    breaks: (statement, { isNew }) =>
      /^create (unique )?index (?!concurrently)/.test(statement) && !isNew(indexed(statement)),
  },
  {
    says: '`concurrently` needs `export const config = { transaction: false }` and a `db.raw` of its own.',
    breaks: (statement, { alone }) => /^(create|drop) .*\bconcurrently\b/.test(statement) && !alone,
  },
  {
    says: 'Before `create index concurrently` comes `drop index concurrently if exists`: a try that failed leaves an index that is not valid.',
    breaks: (statement, { statements }) => {
      const name = tableOf(/^create (?:unique )?index concurrently (\w+)/, statement);
      return (
        name !== undefined && !statements.includes(`drop index concurrently if exists ${name}`)
      );
    },
  },
  {
    says: 'A constraint of a table in use is added `not valid`, and validated by the next migration.',
    breaks: (statement, { isNew }) =>
      !isNew(altered(statement)) &&
      /^alter table .*\b(check \(|references |unique|primary key|exclude)/.test(statement) &&
      !/\b(not valid|using index)$/.test(statement),
  },
  {
    says: 'A constraint is validated in another migration than the one that adds it, since that one still has its lock.',
    breaks: (statement, { statements }) =>
      / validate constraint /.test(statement) &&
      statements.some((other) => other.endsWith(' not valid')),
  },
  {
    says: '`set not null`, another type, and a stored or computed value read or write the whole table under a lock. Add a check `not valid`, or a column and a backfill.',
    breaks: (statement, { isNew }) =>
      !isNew(altered(statement)) &&
      /^alter table .*( set not null| type |generated always|add column .* default \w+\()/.test(
        statement,
      ),
  },
  {
    says: 'Rows are changed in batches with `limit`, outside of a transaction.',
    breaks: (statement, { alone, isNew }) =>
      !isNew(tableOf(/^(?:update|delete from) (\w+)/, statement)) &&
      /^(with .*)?(update|delete from) /.test(statement) &&
      !(alone && / limit \d+/.test(statement)),
  },
  {
    says: 'A migration locks one table in use. Two could wait for each other.',
    breaks: (_statement, { statements, isNew }) =>
      new Set(statements.map(locked).filter((table) => table !== undefined && !isNew(table))).size >
      1,
  },
  {
    says: 'This rewrites or locks a whole table for as long as it takes.',
    breaks: (statement) =>
      /^(lock |cluster|vacuum full|reindex (?!.*concurrently))/.test(statement),
  },
];

/** The rules that a migration's file breaks. `down` is the last function, and runs only in tests. */
export function brokenRules(text: string): readonly string[] {
  const above = text.slice(0, text.lastIndexOf('down('));
  const statements = [...above.matchAll(/`([^`]*)`/g)].flatMap(([, sql = '']) => statementsIn(sql));
  const made = statements.map((each) =>
    tableOf(/^create (?:unlogged )?table (?:if not exists )?(\w+)/, each),
  );
  const migration: Migration = {
    alone: /config\b[^;]*transaction: false/.test(text),
    statements,
    isNew: (table) => table !== undefined && made.includes(table),
  };
  return RULES.filter(({ breaks }) =>
    statements.some((statement) => breaks(statement, migration)),
  ).map(({ says }) => says);
}

/** In lower case, with single spaces, without comments and bodies of functions. */
function statementsIn(sql: string): readonly string[] {
  return sql
    .replaceAll(/\$\$.*?\$\$/gs, '')
    .replaceAll(/--.*$/gm, '')
    .toLowerCase()
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
