/** How to read an identity provider's claims: email, display name, assurance, and where the browser returns to. */
import { isBlank, withoutUnseen } from '../labels.ts';

/**
 * Characters that a URL may contain unescaped. Backslash, white space and control characters are
 * not among them.
 */
const URL_CHARACTERS = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?#%[\]]*$/;
const MAX_PATH_LENGTH = 2_000;

/**
 * Whether a browser may return there after sign-in. It must be a path of this service for every browser and proxy,
 * before and after they resolve dots and escapes.
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

/** Removes escapes, also nested ones; `\` when they do not decode. */
function unescaped(path: string): string {
  try {
    const once = decodeURIComponent(path);
    return once === path ? path : unescaped(once);
  } catch {
    return '\\';
  }
}

/** ASCII only, so that no lookalike letter passes for one of the domain. */
const EMAIL =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@((?!-)[A-Za-z0-9-]+(?:(?<!-)\.(?!-)[A-Za-z0-9-]+)*(?<!-))$/;

/**
 * The email that identifies the person: verified by the provider and, where domains are configured, in one of them
 * (in lower case). Undefined when there is none.
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

/** Whether the email would identify the person if the provider had verified it. */
export function lacksOnlyVerification(
  { email, emailVerified }: { readonly email: string | undefined; readonly emailVerified: boolean },
  domains: readonly string[],
): boolean {
  return !emailVerified && admissibleEmail({ email, emailVerified: true }, domains) !== undefined;
}

const MAX_NAME_LENGTH = 200;

/** The provider's name for the person if it is printable, else the local part of the email. */
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

/** A subject as OpenID Connect allows it: at most 255 ASCII characters without control characters. */
export function isSubject(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text);
}

/** A second factor at the provider counts as one here. */
export function assuranceOf(methods: readonly string[]): 'single_factor' | 'strong' {
  return methods.includes('mfa') ? 'strong' : 'single_factor';
}
