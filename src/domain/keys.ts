/** The pattern of agent slugs, escalation path keys and block ids. */

/** Starts with a letter or digit, so that no key reads as a relative URL segment. */
export const KEY_PATTERN = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** What the pattern allows, after "must". */
export const KEY_RULE =
  'be up to 63 lowercase letters, digits, dots, underscores and hyphens, the first a letter or digit';
