/** The page that a sign-in leads back to. */

/** Pages that are themselves about signing in. */
const SIGN_IN_PAGES = /^\/(?:login|welcome|password)(?:[/?#]|$)/;

/** Only a path of this app: no other origin, and none of the sign-in pages. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path)) return '/';
  return SIGN_IN_PAGES.test(path) ? '/' : path;
}

/** What the service refuses in a path to return to, which is stricter than browsers are. */
const UNUSUAL = /[^\w\-.~!$&'()*+,;=:@/?#%[\]]/g;

const MOST_CHARACTERS = 2_000;

/** Where a sign-in at the identity provider begins. `again`: the provider asks, even if it remembers the person. */
export function singleSignOnPath(returnTo: string, { again = false } = {}): string {
  const path = returnTo.replaceAll(UNUSUAL, encodeURIComponent).replaceAll('//', '/%2F');
  const query = new URLSearchParams({ return_to: path.length > MOST_CHARACTERS ? '/' : path });
  if (again) query.set('prompt', 'login');
  return `/auth/oidc/login?${query.toString()}`;
}
