/** The statements of the service while something runs. */
import type { TestApp } from '../app.ts';

/** What the pool for calls sends, also inside transactions. Each is one round trip. */
export async function statementsDuring(
  { db }: TestApp,
  run: () => Promise<unknown>,
): Promise<string[]> {
  const statements: string[] = [];
  const note = ({ sql }: { readonly sql: string }) => {
    // Other processes hear of a change after it.
    if (!sql.includes('pg_notify')) statements.push(sql);
  };
  db.on('query', note);
  try {
    await run();
  } finally {
    db.removeListener('query', note);
  }
  return statements;
}
