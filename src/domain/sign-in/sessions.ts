/** Sessions: sign-ins of members in browsers. */
import type { AuthMethod } from '../people/authorization.ts';

/** How long a session lasts at most. */
export const SESSION_DAYS = 7;
export const SESSION_SECONDS = SESSION_DAYS * 86_400;

/** When a session ends, and when it stops being recent. */
export interface SessionTimes {
  readonly expiresAt: Date;
  /** Without further use. */
  readonly idleExpiresAt: Date;
  readonly freshUntil: Date;
}

/** A session as its member sees it. */
export interface SessionRecord {
  readonly id: string;
  readonly method: AuthMethod;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly authenticatedAt: Date;
  readonly expiresAt: Date;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}
