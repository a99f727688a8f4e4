/**
 * The paths of the web app, once for its router and for the server, which answers every other path
 * with 404. `$name` is one part of a path.
 */
export const WEB_PAGES = {
  queue: '/',
  request: '/requests/$id',
  login: '/login',
  welcome: '/welcome',
  forgotPassword: '/password/forgot',
  resetPassword: '/password/reset/$token',
  invitation: '/invitations/$token',
  setup: '/setup',
  enroll: '/enroll',
  account: '/account',
  security: '/account/security',
  sessions: '/account/sessions',
  notifications: '/account/notifications',
  shortcuts: '/account/shortcuts',
} as const;

/** As the router reads paths: in any case, and with or without a slash at the end. */
const PATTERNS = Object.values(WEB_PAGES).map(
  (path) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+').replace(/\/$/, '')}/?$`, 'i'),
);

export const isWebPage = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path));
