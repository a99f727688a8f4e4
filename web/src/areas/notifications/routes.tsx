/** How the reader is notified. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { accountRoute } from '../../shared/routes/parents.ts';
import { below, screen } from '../../shared/routes/screen.ts';

const notifications = createRoute({
  getParentRoute: () => accountRoute,
  path: below(WEB_PAGES.account, WEB_PAGES.notifications),
  component: screen(() => import('./notifications.tsx'), 'Notifications'),
});

/** Below the account. */
export const notificationsRoutes = [notifications] as const;
