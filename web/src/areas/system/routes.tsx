/** The state of the service. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { settingsRoute } from '../../shared/routes/parents.ts';
import { below, screen } from '../../shared/routes/screen.ts';

const system = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.system),
  component: screen(() => import('./system.tsx'), 'SystemPage'),
});

export const systemRoutes = [system] as const;
