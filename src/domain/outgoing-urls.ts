/** URLs that people enter and the service calls. */
import { z } from 'zod';

/**
 * Characters that URL parsers drop, change or add, so that the URL called differs from the text
 * typed.
 */
const ODD_URLS: readonly { readonly pattern: RegExp; readonly error: string }[] = [
  {
    pattern: /[\s\p{C}\\]/u,
    error: 'must contain no white space, backslashes or invisible characters',
  },
  {
    pattern: /^https?:(?!\/\/[^/])/i,
    error: 'must have two slashes and a host after its scheme',
  },
  { pattern: /^[^/?#]*\/\/:?@/, error: 'must have no empty user name' },
];
const MAX_URL = 2_000;

/**
 * A URL that the service calls, in the normalized form of browsers. The egress guard decides where
 * it may lead.
 */
export const outgoingUrl = (description: string) =>
  z
    .string()
    .min(1)
    .superRefine((text, { addIssue }) => {
      const odd = ODD_URLS.find(({ pattern }) => pattern.test(text));
      if (odd) addIssue({ code: 'custom', message: odd.error, continue: false });
    })
    .transform((text) => (URL.canParse(text) ? new URL(text).href : text))
    .refine((text) => text.length <= MAX_URL, {
      error: `must be at most ${MAX_URL} characters long, once it is encoded`,
    })
    .meta({ description, override: { type: 'string', minLength: 1, maxLength: MAX_URL } });
