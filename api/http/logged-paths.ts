/** A call's path as the log shows it: without the secrets some links carry, also where they were mistyped or lead nowhere. */

/** What follows these words is a secret, whole or not. */
const LINKS = /^(\/(?:auth\/)?(?:invitations|password\/reset)\/)[^/]+/i;

/** Tokens of every kind, anywhere in a path. */
const TOKENS = /wh[a-z](?:_|%5f)[^/]*/gi;

export function loggedPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.replace(LINKS, '$1[secret]').replaceAll(TOKENS, '[secret]');
}
