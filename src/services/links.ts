/**
 * Every link for people and browsers, built from the public URL alone and never from a request's
 * headers.
 */
import type { Runtime } from './context.ts';

type Base = Pick<Runtime, 'publicUrl'>;

const at = ({ publicUrl }: Base, path: string): string =>
  `${publicUrl().replace(/\/$/, '')}${path}`;

/** Where the invited person joins. */
export const invitationLink = (base: Base, token: string): string =>
  at(base, `/invitations/${token}`);

export const passwordResetLink = (base: Base, token: string): string =>
  at(base, `/password/reset/${token}`);

/** Where the identity provider sends browsers after a sign-in. It is registered there. */
export const ssoCallbackLink = (base: Base): string => at(base, '/auth/oidc/callback');

/** `path` must be a return path. */
export const returnLink = (base: Base, path: string): string => at(base, path);

/** The page where a person authorizes a machine by its code. */
export const enrollmentLink = (base: Base): string => at(base, '/enroll');

/** The page where a person decides the request. */
export const requestLink = (base: Base, id: string): string => at(base, `/requests/${id}`);

/** The page to open after sign-in when the caller names none. */
export const DEFAULT_RETURN_PATH = '/';

/** The sign-in page, with the reason for showing it again and the page to open afterwards. */
export function failedSignInLink(
  base: Base,
  { code, returnTo }: { readonly code: string; readonly returnTo: string | undefined },
): string {
  const query = new URLSearchParams({
    error: code,
    ...(returnTo !== undefined && returnTo !== DEFAULT_RETURN_PATH && { return_to: returnTo }),
  });
  return at(base, `/login?${query.toString()}`);
}

/** The page on which a person decides what a client of OAuth asks for. */
export function consentLink(
  base: Base,
  asked: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(asked).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return at(base, `/oauth/consent?${new URLSearchParams(given).toString()}`);
}
