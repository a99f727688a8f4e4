/** Searches of lists for a text that a person typed. */

/** The pattern of `ilike` for a value that contains the text. */
export function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/**
 * SQL: whether one of the columns contains the text of the binding, ignoring case. The database's own
 * collation may know no letters beyond ASCII.
 */
export function anyContains(columns: readonly string[], pattern = 'pattern'): string {
  return `(${columns.map((column) => `${column} collate "pg_c_utf8" ilike :${pattern}`).join(' or ')})`;
}
