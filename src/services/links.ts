/** Every link people get or browsers follow, from the public URL alone: never from what a request says it was sent to. */
import type { Runtime } from './context.ts';

type Base = Pick<Runtime, 'publicUrl'>;

const at = ({ publicUrl }: Base, path: string): string =>
  `${publicUrl().replace(/\/$/, '')}${path}`;

/** Where the invited person joins. */
export const invitationLink = (base: Base, token: string): string =>
  at(base, `/invitations/${token}`);

export const passwordResetLink = (base: Base, token: string): string =>
  at(base, `/password/reset/${token}`);

/** Where the identity provider sends browsers back to. It is registered there. */
export const ssoCallbackLink = (base: Base): string => at(base, '/auth/oidc/callback');

/** `path` must be a return path. */
export const returnLink = (base: Base, path: string): string => at(base, path);

/** The sign-in page, saying why it is seen again. */
export const failedSignInLink = (base: Base, code: string): string =>
  at(base, `/login?error=${code}`);
