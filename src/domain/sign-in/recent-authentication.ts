/** How well, and how lately, somebody must have proven who he is before he does what matters. */
import type { MemberPrincipal } from '../people/authorization.ts';
import { AppError } from '../errors.ts';
import { permissionEntry, type Permission } from '../people/permissions.ts';

/** Throws 403 `mfa_required` where the organization demands a second factor and this sign-in, or this key's, had none. */
export function requireSecondFactor(principal: MemberPrincipal): void {
  if (principal.requiresMfa && principal.auth.assurance !== 'strong')
    throw new AppError('mfa_required');
}

/**
 * For what is dangerous: a session that was proven again lately, with a second factor where the organization demands one.
 * Throws 403 `session_required` for a key, `mfa_required`, `reauthentication_required`.
 */
export function requireRecentAuthentication(principal: MemberPrincipal, detail?: string): void {
  if (principal.via.kind !== 'session') throw new AppError('session_required');
  requireSecondFactor(principal);
  requireRecentSession(principal, detail);
}

/** As `requireRecentAuthentication`, for what must be open to those who have no second factor yet: enrolling one. */
export function requireRecentSession(principal: MemberPrincipal, detail?: string): void {
  if (principal.via.kind !== 'session') throw new AppError('session_required');
  if (!principal.via.fresh)
    throw new AppError('reauthentication_required', detail === undefined ? {} : { detail });
}

/** For changes of the second factor itself: a fresh session that was opened or renewed with it, whatever the organization demands. */
export function requireRecentSecondFactor(principal: MemberPrincipal): void {
  if (principal.via.kind !== 'session') throw new AppError('session_required');
  if (principal.auth.assurance !== 'strong')
    throw new AppError('mfa_required', { detail: 'This needs a code of your second factor.' });
  requireRecentSession(principal);
}

/** True when one of the permissions decides requests or is dangerous: whoever hands it out must have proven who he is. */
export function isSensitive(permissions: readonly Permission[]): boolean {
  return permissions.some((key) => key === 'request.decide' || permissionEntry(key).dangerous);
}
