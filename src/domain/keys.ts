/** The pattern of agent slugs, escalation path keys and block ids. */

/** Starts with a letter or digit, so that no key reads as a relative URL segment. */
export const KEY_PATTERN = /^[a-z0-9][a-z0-9._-]{0,62}$/;
