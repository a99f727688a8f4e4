/** What the tests of the first owner and of sign-ins send, and what they look at. */
import { BOOTSTRAP_SECRET, type TestApp } from '../../support/app.ts';
import type { ApiResponse } from '../../support/http.ts';
import { PASSWORD } from '../../support/scene/sign-in.ts';

/** The body that creates the first owner. */
export const owner = {
  secret: BOOTSTRAP_SECRET,
  organization_name: 'Ünited Examples, Inc.',
  display_name: 'Ada Marsh',
  email: 'Ada@Example.com',
  password: PASSWORD,
};

/** The fields that a refusal names. */
export const pointersOf = ({ body }: ApiResponse) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);

/** The token of the session that an answer opens. Empty when it opens none. */
export const sessionOf = ({ headers }: ApiResponse) =>
  /^service_session=([^;]*)/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';

export async function countRows(app: TestApp, table: string): Promise<number> {
  const [row] = (await app.db(table).count({ rows: '*' })) as { rows: number }[];
  return Number(row?.rows);
}
