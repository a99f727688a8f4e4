/** The pages about the reader's own account. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { accountRoute } from '../../shared/routes/parents.ts';
import { below, screen } from '../../shared/routes/screen.ts';

const profile = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  component: screen(() => import('./profile.tsx'), 'Profile'),
});

const security = createRoute({
  getParentRoute: () => accountRoute,
  path: below(WEB_PAGES.account, WEB_PAGES.security),
  component: screen(() => import('./security.tsx'), 'Security'),
});

const sessions = createRoute({
  getParentRoute: () => accountRoute,
  path: below(WEB_PAGES.account, WEB_PAGES.sessions),
  component: screen(() => import('./sessions.tsx'), 'Sessions'),
});

const shortcuts = createRoute({
  getParentRoute: () => accountRoute,
  path: below(WEB_PAGES.account, WEB_PAGES.shortcuts),
  component: screen(() => import('./shortcuts.tsx'), 'Shortcuts'),
});

/** Below the account. */
export const accountRoutes = [profile, security, sessions, shortcuts] as const;
