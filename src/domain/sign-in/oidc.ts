/** What an identity provider's word is worth here: whom it lets in, under which name, and where the browser goes then. */
import { isBlank, withoutUnseen } from '../labels.ts';

/** Characters a URL may hold unescaped; neither backslash, white space nor control characters are among them. */
const URL_CHARACTERS = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?#%[\]]*$/;
const MAX_PATH_LENGTH = 2_000;

/**
 * Whether a browser may be sent there after it signed in: a path of ours, and one that every browser and proxy takes for a
 * path, before and after it resolves dots and escapes.
 */
export function isReturnPath(text: string): boolean {
  if (text.length > MAX_PATH_LENGTH || !URL_CHARACTERS.test(text) || !isLocal(text)) return false;
  const base = 'https://base.invalid';
  if (!URL.canParse(text, base)) return false;
  const { origin, pathname, search, hash } = new URL(text, base);
  return origin === base && isLocal(`${pathname}${search}${hash}`) && isLocal(unescaped(pathname));
}

function isLocal(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !text.includes('//') && !/[\\\p{Cc}]/u.test(text);
}

/** Without any escapes, however often they were escaped; `\` when they make no text. */
function unescaped(path: string): string {
  try {
    const once = decodeURIComponent(path);
    return once === path ? path : unescaped(once);
  } catch {
    return '\\';
  }
}

/** ASCII only: no other letter can then pass for one of a domain's, here or in the database. */
const EMAIL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)$/;

/**
 * The email by which somebody may be recognized or admitted: vouched for by the provider and, where domains are named, of
 * exactly one of them (in lower case). Undefined when there is none.
 */
export function admissibleEmail(
  claimed: { readonly email: string | undefined; readonly emailVerified: boolean },
  domains: readonly string[],
): string | undefined {
  const { email, emailVerified } = claimed;
  const domain =
    email === undefined || email.length > 254 ? undefined : EMAIL.exec(email)?.[1]?.toLowerCase();
  if (!emailVerified || domain === undefined) return undefined;
  return domains.length === 0 || domains.includes(domain) ? email : undefined;
}

const MAX_NAME_LENGTH = 200;

/** The provider's name for the person where it can be shown, else the local part of the email. */
export function displayNameOf(name: string | undefined, email: string): string {
  const shown = withoutUnseen(name ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const cut = [...shown]
    .slice(0, MAX_NAME_LENGTH / 2)
    .join('')
    .trim();
  return isBlank(cut) ? email.slice(0, email.indexOf('@')) : cut;
}

/** A subject as the standard allows it: at most 255 ASCII characters, none of them a control character. */
export function isSubject(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text);
}

/** A second factor at the provider counts as one here. */
export function assuranceOf(methods: readonly string[]): 'single_factor' | 'strong' {
  return methods.includes('mfa') ? 'strong' : 'single_factor';
}
