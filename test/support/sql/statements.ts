/** The statements of the service while something runs. */
import type { TestApp } from '../app.ts';

/**
 * Other processes hear of a change after it, presses in Slack are looked for once a second, and that a credential was used is
 * written after a response, as late as during the next call.
 */
const ON_THEIR_OWN = [
  'pg_notify',
  'update slack_presses p set due_at',
  'update agent_credentials set last_used_at',
];

/** What the pool for calls sends, also inside transactions. Each is one round trip. */
export async function statementsDuring(
  { db }: TestApp,
  run: () => Promise<unknown>,
): Promise<string[]> {
  const statements: string[] = [];
  const note = ({ sql }: { readonly sql: string }) => {
    if (!ON_THEIR_OWN.some((part) => sql.includes(part))) statements.push(sql);
  };
  db.on('query', note);
  try {
    await run();
  } finally {
    db.removeListener('query', note);
  }
  return statements;
}
