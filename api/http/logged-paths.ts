/**
 * The path of a call as the log shows it, without the secrets in some links, even in mistyped or
 * unknown paths.
 */

/** The part after these words is a secret, complete or not. */
const LINKS =
  /^(\/(?:(?:auth\/)?(?:invitations|password\/reset)|api\/v1\/agent_enrollments)\/)[^/]+/i;

/** Tokens of every kind, anywhere in a path. */
const TOKENS = /wh[a-z](?:_|%5f)[^/]*/gi;

export function loggedPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.replace(LINKS, '$1[secret]').replaceAll(TOKENS, '[secret]');
}
