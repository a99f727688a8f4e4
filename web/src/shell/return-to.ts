/** The page that a sign-in leads back to. */

/** Only a path of this app: no other origin, and none of the sign-in pages. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path)) return '/';
  return /^\/(?:login|welcome)(?:[/?#]|$)/.test(path) ? '/' : path;
}
