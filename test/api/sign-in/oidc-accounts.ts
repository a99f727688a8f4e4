/** What tests of sign-ins through a provider look at: the member in a browser, and what was written. */
import type { TestApp } from '../../support/app.ts';
import type { Browser, Page } from '../../support/browser.ts';

let people = 0;
export function newPerson(email?: string) {
  const subject = `person-${++people}`;
  return {
    subject,
    email: email ?? `${subject}@example.com`,
    email_verified: true,
    name: `Person ${people}`,
  };
}

interface Account {
  readonly principal: {
    readonly membership_id: string;
    readonly permissions: readonly string[];
    readonly auth: Readonly<Record<string, string>>;
  };
  readonly user: Readonly<Record<string, unknown>>;
}

/** The member signed in in this browser, if any. */
export async function account(at: TestApp, browser: Browser): Promise<Account | undefined> {
  const answer = await browser.open(`${at.url}/api/v1/me`);
  return answer.status === 200 ? (JSON.parse(answer.text) as Account) : undefined;
}

export async function events(at: TestApp, subjectId: string): Promise<unknown[]> {
  const rows = (await at
    .db('audit_events')
    .where({ subject_id: subjectId })
    .orderBy('sequence')
    .select('event_type', 'data', 'actor_id')) as {
    event_type: string;
    data: string;
    actor_id: string;
  }[];
  return rows.map((row) => ({
    type: row.event_type,
    data: JSON.parse(row.data) as unknown,
    actor: row.actor_id,
  }));
}

export async function count(
  at: TestApp,
  table: string,
  where: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const [row] = (await at.db(table).where(where).count({ rows: '*' })) as { rows: number }[];
  return Number(row?.rows);
}

/** The one unfinished sign-in of a browser, as it keeps it. */
export function pendingCookie(browser: Browser, origin: string): { name: string; value: string } {
  const kept = pendingCookies(browser, origin);
  const [only] = kept;
  if (!only || kept.length > 1) throw new Error(`the browser has begun ${kept.length} sign-ins`);
  return only;
}

export function pendingCookies(browser: Browser, origin: string) {
  return [...(browser.jars.get(origin) ?? [])]
    .filter(([name]) => name.startsWith('service_sso_'))
    .map(([name, { value }]) => ({ name, value }));
}

export const errorOf = ({ location }: Page) => location?.searchParams.get('error');
