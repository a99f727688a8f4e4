/** The session cookie, as responses set and clear it. */
import { SESSION_SECONDS } from '../../src/domain/sign-in/sessions.ts';
import type { AppRuntime } from '../../src/services/context.ts';
import { HOST_SESSION_COOKIE, SESSION_COOKIE } from './authentication.ts';

type CookieContext = Pick<AppRuntime, 'publicUrl'>;

/** One header for each cookie. */
type SetCookies = { readonly 'Set-Cookie': readonly string[] };

/**
 * Response headers that sign the browser in. The service ends the session; the cookie only has to
 * last that long.
 */
export const setsSessionCookie = (context: CookieContext, token: string): SetCookies => ({
  'Set-Cookie': cookiesOf(context, { value: token, maxAge: SESSION_SECONDS }),
});

export const clearsSessionCookie = (context: CookieContext): SetCookies => ({
  'Set-Cookie': cookiesOf(context, { value: '', maxAge: 0 }),
});

/**
 * Response headers that remove what the browser keeps of this service, to which the whole origin belongs.
 * Cookies are left alone: browsers would remove those of the whole registered domain.
 */
export const CLEARS_SITE_DATA = { 'Clear-Site-Data': '"cache", "storage"' } as const;

/** Over https, the cookie of the name before is cleared: it could outlive the session that replaces it. */
function cookiesOf(
  { publicUrl }: CookieContext,
  { value, maxAge }: { value: string; maxAge: number },
): string[] {
  const rest = (age: number) => `Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  return new URL(publicUrl()).protocol === 'https:'
    ? [
        `${SESSION_COOKIE}=; ${rest(0)}; Secure`,
        `${HOST_SESSION_COOKIE}=${value}; ${rest(maxAge)}; Secure`,
      ]
    : [`${SESSION_COOKIE}=${value}; ${rest(maxAge)}`];
}

/** For the descriptions of operations that set it. */
export const setsSessionCookieText = {
  'Set-Cookie':
    'The session cookie: seven days, ended earlier by 24 idle hours. It is `__Host-service_session` where the public URL is https, else `service_session`.',
};

export const clearsSessionCookieText = { 'Set-Cookie': 'Clears the cookie `service_session`.' };

export const clearsSiteDataText = {
  'Clear-Site-Data': 'Removes what the browser stored and cached for this service.',
};
