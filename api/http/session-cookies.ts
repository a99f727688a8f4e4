/** The session cookie, as answers set and clear it. */
import { SESSION_SECONDS } from '../../src/domain/sign-in/sessions.ts';
import type { Runtime } from '../../src/services/context.ts';
import { SESSION_COOKIE } from './authentication.ts';

type CookieContext = Pick<Runtime, 'publicUrl'>;

/**
 * Answer headers that sign the browser in. The service ends the session; the cookie only has to
 * last that long.
 */
export function setsSessionCookie(
  context: CookieContext,
  token: string,
): { readonly 'Set-Cookie': string } {
  return { 'Set-Cookie': cookieOf(context, { value: token, maxAge: SESSION_SECONDS }) };
}

export function clearsSessionCookie(context: CookieContext): { readonly 'Set-Cookie': string } {
  return { 'Set-Cookie': cookieOf(context, { value: '', maxAge: 0 }) };
}

/**
 * Answer headers that remove what the browser keeps of this service, to which the whole origin belongs.
 * Cookies are left alone: browsers would remove those of the whole registered domain.
 */
export const CLEARS_SITE_DATA = { 'Clear-Site-Data': '"cache", "storage"' } as const;

/** Sent only over https when people reach the service by https. */
function cookieOf(
  { publicUrl }: CookieContext,
  { value, maxAge }: { value: string; maxAge: number },
): string {
  const secure = new URL(publicUrl()).protocol === 'https:' ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** For the descriptions of operations that set it. */
export const setsSessionCookieText = {
  'Set-Cookie': 'The session cookie `service_session`: seven days, ended earlier by 24 idle hours.',
};

export const clearsSessionCookieText = { 'Set-Cookie': 'Clears the cookie `service_session`.' };

export const clearsSiteDataText = {
  'Clear-Site-Data': 'Removes what the browser stored and cached for this service.',
};
