/** How strongly and how recently a person must have authenticated before a sensitive operation. */
import type { MemberPrincipal, ProductPrincipal } from './authorization.ts';
import { AppError } from '../errors.ts';
import { permissionEntry, type Permission } from './permissions.ts';

/** Whether the organization requires a second factor and this session or key had none. */
export function lacksSecondFactor({ requiresMfa, auth }: MemberPrincipal): boolean {
  return requiresMfa && auth.assurance !== 'strong';
}

/** Throws 403 `mfa_required`. */
export function requireSecondFactor(principal: MemberPrincipal): void {
  if (lacksSecondFactor(principal)) throw new AppError('mfa_required');
}

/**
 * For dangerous operations: a recently authenticated session, with a second factor where the organization requires it.
 * Throws 403 `session_required` for a key, `mfa_required`, `reauthentication_required`.
 */
export function requireRecentAuthentication(principal: MemberPrincipal, detail?: string): void {
  if (principal.via.kind !== 'session') throw new AppError('session_required');
  requireSecondFactor(principal);
  requireRecentSession(principal, detail);
}

/**
 * For operations that API keys may do too: a session must satisfy `requireRecentAuthentication`. A key shows no
 * authentication of its own; issuing it needed a recent one.
 */
export function requireRecentUnlessKey(principal: ProductPrincipal): void {
  if (principal.kind === 'member' && principal.via.kind !== 'api_key')
    requireRecentAuthentication(principal);
}

/** Like `requireRecentAuthentication`, but open to people without a second factor, so that they can enroll one. */
export function requireRecentSession(principal: MemberPrincipal, detail?: string): void {
  if (principal.via.kind !== 'session') throw new AppError('session_required');
  if (!principal.via.isRecent)
    throw new AppError('reauthentication_required', detail === undefined ? {} : { detail });
}

/** For changes of the second factor itself: a recent session that used it, whatever the organization requires. */
export function requireRecentSecondFactor(principal: MemberPrincipal): void {
  if (principal.via.kind !== 'session') throw new AppError('session_required');
  if (principal.auth.assurance !== 'strong')
    throw new AppError('mfa_required', {
      detail: 'This operation requires a code from your second factor.',
    });
  requireRecentSession(principal);
}

/** True when a permission decides requests or is dangerous. Granting it requires recent authentication. */
export function isSensitive(permissions: readonly Permission[]): boolean {
  return permissions.some((key) => key === 'request.decide' || permissionEntry(key).dangerous);
}
